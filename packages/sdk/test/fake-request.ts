import type { UploadProgress, UploadRequest } from "../src/files/progress.ts";

/** The service's end of a request that was sent by `XMLHttpRequest`. */
export interface Upload {
  method: string;
  url: string;
  body: FormData;
  withCredentials: boolean;
  aborted: boolean;
  /** Reports bytes of the body as sent, if the page listened before it sent the request. */
  progress(event: UploadProgress): void;
  answer(status: number, body: unknown, responseURL?: string): void;
  /** Breaks the connection. */
  fail(): void;
}

/** Creates an `XMLHttpRequest` whose requests, in `sent`, the test answers. */
export function fakeRequests(): { XMLHttpRequest: new () => UploadRequest; sent: Upload[] } {
  const sent: Upload[] = [];

  class FakeRequest implements UploadRequest {
    status = 0;
    responseText = "";
    responseURL = "";
    withCredentials = false;
    upload: UploadRequest["upload"] = { onprogress: null };
    onload: UploadRequest["onload"] = null;
    onerror: UploadRequest["onerror"] = null;
    onabort: UploadRequest["onabort"] = null;
    #method = "";
    #url = "";
    #upload: Upload | undefined;

    open(method: string, url: string) {
      this.#method = method;
      this.#url = url;
    }

    send(body: FormData) {
      const { onprogress } = this.upload;
      this.#upload = {
        method: this.#method,
        url: this.#url,
        body,
        withCredentials: this.withCredentials,
        aborted: false,
        progress: (event) => onprogress?.(event),
        answer: (status, answer, responseURL = this.#url) => {
          Object.assign(this, { status, responseText: JSON.stringify(answer), responseURL });
          this.onload?.();
        },
        fail: () => this.onerror?.(new Event("error")),
      };
      sent.push(this.#upload);
    }

    abort() {
      if (this.#upload) this.#upload.aborted = true;
      this.onabort?.(new Event("abort"));
    }
  }

  return { XMLHttpRequest: FakeRequest, sent };
}

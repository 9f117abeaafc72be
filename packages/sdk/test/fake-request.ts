import type { UploadProgress, UploadRequest } from "../src/files/progress.ts";

/** A request that the page has sent with `XMLHttpRequest`, as the service sees it. */
export interface Upload {
  method: string;
  url: string;
  body: FormData;
  withCredentials: boolean;
  aborted: boolean;
  /** Sends a progress event, if the page added its listener before it sent the request. */
  progress(event: UploadProgress): void;
  answer(status: number, body: unknown, responseURL?: string, headers?: Record<string, string>): void;
  /** Ends the request with a network error. */
  fail(): void;
}

/** Creates a fake `XMLHttpRequest` class. It adds each request to `sent`, and the test responds to it. */
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
    #headers: Record<string, string> = {};
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
        answer: (status, answer, responseURL = this.#url, headers = {}) => {
          this.#headers = headers;
          Object.assign(this, { status, responseText: JSON.stringify(answer), responseURL });
          this.onload?.();
        },
        fail: () => this.onerror?.(new Event("error")),
      };
      sent.push(this.#upload);
    }

    getResponseHeader(name: string) {
      return this.#headers[name] ?? null;
    }

    abort() {
      if (this.#upload) this.#upload.aborted = true;
      this.onabort?.(new Event("abort"));
    }
  }

  return { XMLHttpRequest: FakeRequest, sent };
}

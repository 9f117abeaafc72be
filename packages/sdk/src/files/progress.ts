import type { Fetch } from "../options.ts";

/** The progress of an upload: how many bytes of the file have been sent, and the size of the file. */
export interface UploadProgress {
  loaded: number;
  total: number;
}

/** The part of `XMLHttpRequest` that the SDK uses. */
export interface UploadRequest {
  readonly status: number;
  readonly responseText: string;
  readonly responseURL: string;
  readonly upload: { onprogress: ((event: UploadProgress) => void) | null };
  withCredentials: boolean;
  onload: (() => void) | null;
  onerror: ((cause: unknown) => void) | null;
  onabort: ((cause: unknown) => void) | null;
  open(method: string, url: string): void;
  getResponseHeader(name: string): string | null;
  send(body: FormData): void;
  abort(): void;
}

/**
 * Creates a function like `fetch` that reports the progress of an upload; the file is the last `total` bytes of the request body. It uses
 * `XMLHttpRequest`, because `fetch` reports no progress. If the request is redirected, it returns a 302 response, or throws if the redirect
 * leads to another origin.
 */
export function sendWithProgress(
  Request: new () => UploadRequest,
  total: number,
  onProgress: (progress: UploadProgress) => void,
): Fetch {
  return async (url, { method = "", body, signal }) => {
    const request = new Request();
    const abort = () => request.abort();
    request.open(method, url);
    request.withCredentials = true;
    request.upload.onprogress = (event) => {
      // The event counts the whole body, which has other bytes before the file.
      onProgress({ loaded: Math.max(0, Math.min(total, event.loaded - (event.total - total))), total });
    };
    await new Promise<void>((resolve, reject) => {
      request.onload = () => resolve();
      request.onerror = request.onabort = reject;
      signal?.addEventListener("abort", abort);
      request.send(body as FormData);
    }).finally(() => signal?.removeEventListener("abort", abort));
    const status = request.responseURL === new URL(url).href ? request.status : 302;
    const retryAfter = request.getResponseHeader("retry-after");
    return new Response(request.responseText, {
      status,
      headers: retryAfter === null ? {} : { "retry-after": retryAfter },
    });
  };
}

import { ApiError, errorOf } from "../api/api-error.ts";
import { send } from "../api/client.ts";

/** A request whose body is large. */
export interface Upload {
  method: "PUT" | "POST";
  path: string;
  type: string | null;
  body: Blob | FormData;
}

/**
 * Sends a large body and returns the response. Calls `onSent` with the number of bytes that have been sent. Throws as `send` of the API client does.
 */
export async function upload(
  { method, path, type, body }: Upload,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<Response> {
  signal.throwIfAborted();
  // `fetch` does not tell how much it has sent.
  const request = new XMLHttpRequest();
  request.open(method, path);
  if (type !== null) request.setRequestHeader("content-type", type);
  request.responseType = "text";
  request.upload.onprogress = ({ loaded }) => onSent(loaded);
  const stop = () => request.abort();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const isAnswered = await new Promise<boolean>((resolve) => {
      request.onload = () => resolve(true);
      request.onerror = request.onabort = () => resolve(false);
      request.send(body);
    });
    signal.throwIfAborted();
    const type = request.getResponseHeader("content-type") ?? "";
    const isAnswer = isAnswered && request.status !== 401 && !type.startsWith("text/html");
    // The request may have been redirected to a page that signs in: another request tells.
    if (!isAnswer) await send("/api/me", { signal });
    if (!isAnswered) throw new ApiError(0, {});
    const after = request.getResponseHeader("retry-after");
    const response = new Response(request.status === 204 ? null : request.responseText, {
      status: request.status,
      headers: after === null ? {} : { "retry-after": after },
    });
    if (!isAnswer || !response.ok) throw await errorOf(response);
    return response;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

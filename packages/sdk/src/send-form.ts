import { EaselError, NotAuthenticatedError } from "./errors.ts";
import { sendWithProgress, type UploadProgress, type UploadRequest } from "./files/progress.ts";
import type { EaselOptions, Fetch } from "./options.ts";
import { createListeners, type Listener } from "./realtime/listeners.ts";
import type { Api } from "./request.ts";

/** Options of a request that sends a file: progress and cancellation. */
export interface SendOptions {
  /** Called while the bytes of the file are sent. */
  onProgress?: Listener<UploadProgress> | undefined;
  /** Aborts the request. */
  signal?: AbortSignal | undefined;
}

/** Sends a form whose last part is a file of `size` bytes, and resolves with the JSON of the response. */
export type SendForm = <Answer>(
  method: string,
  path: string,
  form: FormData,
  size: number,
  options: SendOptions,
) => Promise<Answer>;

/** Creates a `SendForm`. Without `XMLHttpRequest`, as in Node, progress is reported once, at the end. */
export function createSendForm(api: Api, options: EaselOptions = {}): SendForm {
  /**
   * Throws a `NotAuthenticatedError` if the viewer is not signed in. Called when a request got no response, because the service may have
   * redirected that request to the sign-in page.
   */
  const requireSession = async ({ signal = null }: RequestInit) => {
    await api.send("GET", "/me", { signal }).catch((error) => {
      if (error instanceof NotAuthenticatedError) throw error;
    });
    signal?.throwIfAborted();
  };

  return async <Answer>(
    method: string,
    path: string,
    form: FormData,
    size: number,
    { onProgress, signal }: SendOptions,
  ) => {
    const page = globalThis as { XMLHttpRequest?: new () => UploadRequest };
    // A request with a token is sent with `fetch`, which takes headers.
    const { token, XMLHttpRequest = token ? undefined : page.XMLHttpRequest } = options;
    const init = { body: form, signal: signal ?? null };
    const send = (transport?: Fetch) => api.receive<Answer>(method, path, init, transport);
    if (onProgress === undefined) return send();
    const progress = createListeners<UploadProgress>();
    progress.add(onProgress);
    if (XMLHttpRequest === undefined) {
      const answer = await send();
      progress.emit({ loaded: size, total: size });
      return answer;
    }
    try {
      return await send(sendWithProgress(XMLHttpRequest, size, progress.emit));
    } catch (error) {
      if (error instanceof EaselError && error.status === 0) await requireSession(init);
      throw error;
    }
  };
}

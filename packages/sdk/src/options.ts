import type { UrlMode } from "./context.ts";
import type { UploadRequest } from "./files/progress.ts";

/** The part of `window.fetch` that the SDK uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options of `createEasel`. A page of a canvas needs none. */
export interface EaselOptions {
  /** The address of the canvas or of one of its pages. By default the address of the page, read at the first call. */
  readonly url?: string | URL | undefined;
  /**
   * The address of the runtime API of the canvas, if it is not the one that follows from `url`: `{base}/api/canvases/{id}/runtime`, the path
   * for pages of the service itself and for programs that know the id.
   */
  readonly api?: string | URL | undefined;
  /**
   * A personal access token, for programs outside a browser. The SDK sends it with every request, and the calls act for the person who made
   * it. Never put a token into a page: everyone who opens the page could read it.
   */
  readonly token?: string | undefined;
  /** The URL mode of the service. By default `path` if the path of the address begins with `/c/`, otherwise `subdomain`. */
  readonly urlMode?: UrlMode | undefined;
  /** Replaces `globalThis.fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Replaces `globalThis.WebSocket`. */
  readonly WebSocket?: typeof globalThis.WebSocket | undefined;
  /** Replaces `globalThis.XMLHttpRequest`, which reports the progress of uploads. */
  readonly XMLHttpRequest?: (new () => UploadRequest) | undefined;
}

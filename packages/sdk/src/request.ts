import { contextOf, type UrlMode } from "./context.ts";
import { EaselError, errorOf } from "./errors.ts";
import { jsonOf } from "./value.ts";

/** The part of `window.location` that is used. */
export interface Address {
  readonly href: string;
}

/** The part of `window.fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The runtime API of one canvas (specification 4). Paths begin with a slash. */
export interface Api {
  /** The absolute address of a path. */
  url(path: string): string;
  /** Makes one request, never a second one, and gives the response if it succeeded; else throws an `EaselError`. */
  send(method: string, path: string, init?: RequestInit): Promise<Response>;
  /** Sends `body` as JSON, unless it is undefined, and gives the JSON that is answered. */
  json<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
}

/** The API of the canvas that `location` belongs to; `location` is not looked at before the first call. */
export function createApi(location: Address | undefined, fetch: Fetch, urlMode?: UrlMode): Api {
  let root: string | undefined;

  const url = (path: string) => {
    if (root === undefined) {
      const { base, slug } = contextOf(location?.href, urlMode);
      root = `${base}/v1/c/${encodeURIComponent(slug)}`;
    }
    return root + path;
  };

  const send = async (method: string, path: string, init?: RequestInit) => {
    const response = await fetch(url(path), {
      ...init,
      method,
      credentials: "include",
      referrerPolicy: "same-origin",
      redirect: "manual",
    }).catch(unreachable);
    if (response.ok) return response;
    // The API never redirects: only the gateway does, to the sign-in page (specification 4.1, step 1).
    const status = response.type === "opaqueredirect" || response.status === 302 ? 401 : response.status;
    throw errorOf(status, await response.json().catch(() => undefined));
  };

  const json = async <Answer>(method: string, path: string, body?: unknown) => {
    const response = await send(method, path, body === undefined ? undefined : jsonInit(body));
    const text = await response.text().catch(unreachable);
    try {
      return JSON.parse(text) as Answer;
    } catch (cause) {
      throw new EaselError({
        status: response.status,
        message: "The service did not answer with JSON.",
        cause,
      });
    }
  };

  return { url, send, json };
}

/** `?a=1&b=2`, or nothing; what is null or undefined is left out. */
export function search(query: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  return given.length === 0
    ? ""
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

function jsonInit(value: unknown): RequestInit {
  return { body: jsonOf(value), headers: { "content-type": "application/json" } };
}

function unreachable(cause: unknown): never {
  throw new EaselError({ status: 0, message: "The service could not be reached.", cause });
}

import { contextOf } from "./context.ts";
import { EaselError, toError } from "./errors.ts";
import type { EaselOptions, Fetch } from "./options.ts";
import { guardRestores } from "./restored.ts";
import { toJson } from "./value.ts";
import { createWaitOut } from "./wait-out.ts";

/** The runtime API of one canvas (specification 4). Paths are relative to `/v1/c/{slug}` and begin with a slash. */
export interface Api {
  /** The id of the viewer, once the page has asked for it. */
  viewer?: string | undefined;
  /** Returns the absolute URL of a path. */
  url(path: string): string;
  /**
   * Sends one request without retries. Resolves with the response if it is a success: by default, if its status is 2xx. Otherwise rejects
   * with an `EaselError`, or with the abort reason if `init.signal` was aborted.
   */
  send(
    method: string,
    path: string,
    init?: RequestInit,
    transport?: Fetch,
    isSuccess?: (response: Response) => boolean,
  ): Promise<Response>;
  /** Sends a request like `send`, and resolves with the JSON of the response. */
  receive<Answer>(...given: Parameters<Api["send"]>): Promise<Answer>;
  /**
   * Sends `body` as JSON, unless it is undefined, with further `headers`, and resolves with the JSON of the response. If the service refuses a GET request for a
   * while (429 or 503 with `Retry-After`), waits and sends it once more.
   */
  json<Answer>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
}

/**
 * Creates the API of the canvas that `options.url` or the page belongs to. Reads the address on the first call, and then calls `onUse` if the page
 * acts for its own viewer.
 */
export function createApi(options: EaselOptions = {}, onUse: (api: Api) => void = guardRestores): Api {
  const { token, fetch = (url, init) => globalThis.fetch(url, init) } = options;
  const waitOut = createWaitOut();
  let root = options.api?.toString();

  const url = (path: string) => {
    if (root === undefined) {
      const page = (globalThis as { location?: { href: string } }).location;
      const { url = page?.href } = options;
      const { base, slug } = contextOf(url, options.urlMode);
      root = `${base}/v1/c/${encodeURIComponent(slug)}`;
      if (url === page?.href && !token) onUse(api);
    }
    return root + path;
  };

  const send = async (
    method: string,
    path: string,
    init?: RequestInit,
    transport = fetch,
    isSuccess = ({ ok }: Response) => ok,
  ) => {
    init?.signal?.throwIfAborted();
    const response = await transport(url(path), {
      ...init,
      ...(token && { headers: authorized(init?.headers, token) }),
      method,
      credentials: "include",
      referrerPolicy: "same-origin",
      redirect: "manual",
    }).catch(failed(init));
    if (isSuccess(response)) return response;
    // The service redirects only to its sign-in page (specification 4.1, step 1), so a redirect means that nobody is signed in.
    const status = response.type === "opaqueredirect" || response.status === 302 ? 401 : response.status;
    const body = await response.json().catch(() => undefined);
    init?.signal?.throwIfAborted();
    throw toError(status, body, response.headers.get("retry-after"));
  };

  const receive = async <Answer>(...given: Parameters<Api["send"]>) => {
    const response = await send(...given);
    const text = await response.text().catch(failed(given[2]));
    try {
      return JSON.parse(text) as Answer;
    } catch (cause) {
      throw new EaselError({
        status: response.status,
        message: "The response of the service is not JSON.",
        cause,
      });
    }
  };

  const json = async <Answer>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => {
    const send = () =>
      receive<Answer>(
        method,
        path,
        body === undefined ? headers && { headers } : jsonInit(toJson(body), headers),
      );
    return method === "GET" ? send().catch((error) => waitOut(error).then(send)) : send();
  };

  const api: Api = { url, send, receive, json };
  return api;
}

/** Returns a query string such as `?a=1&b=2`, or an empty string. Leaves out null and undefined. */
export function search(query: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  return given.length === 0
    ? ""
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

function authorized(headers: RequestInit["headers"], token: string): Headers {
  const all = new Headers(headers);
  all.set("authorization", `Bearer ${token}`);
  return all;
}

/** Returns the options of a request whose body is JSON, with further `headers`. */
export function jsonInit(body: string, headers?: Record<string, string>): RequestInit {
  return { body, headers: { "content-type": "application/json", ...headers } };
}

/**
 * Returns an error handler for a request that got no response. The handler always throws: the abort reason if `init.signal` was aborted,
 * otherwise an `EaselError`.
 */
function failed(init: RequestInit | undefined): (cause: unknown) => never {
  return (cause) => {
    init?.signal?.throwIfAborted();
    throw new EaselError({ status: 0, message: "The service could not be reached.", cause });
  };
}

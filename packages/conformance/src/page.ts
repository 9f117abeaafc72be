import type { Json } from "@easel/protocol/types";
import { type Answer, type Header, send } from "./http.ts";
import type { Person, Target } from "./target.ts";

/** The Content-Type header of a JSON body. */
export const JSON_TYPE: Header = ["Content-Type", "application/json"];

/**
 * Sends requests to the runtime API of one canvas, with the headers that a browser adds to the requests of its page. Paths are relative to
 * `/v1/c/{slug}`.
 */
export interface Page {
  get(path: string): Promise<Answer>;
  put(path: string, value: Json): Promise<Answer>;
  /** Sends a PUT request with this body, unchanged, and the content type of JSON. */
  putRaw(path: string, body: string | Buffer): Promise<Answer>;
  post(path: string, value: Json): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  send(method: string, path: string, headers?: Header[], body?: string | Buffer): Promise<Answer>;
}

/**
 * Returns the origin of a canvas's page. In path mode this is the origin of the service. In subdomain mode it contains the slug, such as
 * `https://tea.example.org`.
 */
export function pageOrigin({ base, urlMode }: Target, slug: string): string {
  return urlMode === "path" ? base : base.replace("://", `://${slug}.`);
}

/** Returns the URL of a canvas's page, with a slash at the end. */
export function pageUrl(target: Target, slug: string): string {
  return target.urlMode === "path" ? `${target.base}/c/${slug}/` : `${pageOrigin(target, slug)}/`;
}

/** Returns the path of the runtime API of a canvas. */
export function runtimePath({ ids }: Target, slug: string): string {
  return ids === undefined ? `/v1/c/${slug}` : `/api/canvases/${ids.get(slug)}/runtime`;
}

/**
 * Returns the headers that a browser adds to a request of the page that uses the runtime API: a page of the canvas, or, for the path below
 * the management API, a page of the service.
 */
export function pageHeaders(target: Target, slug: string): Header[] {
  if (target.ids !== undefined)
    return [
      ["Sec-Fetch-Site", "same-origin"],
      ["Origin", target.base],
      ["Referer", `${target.base}/`],
    ];
  return target.urlMode === "subdomain"
    ? [["Origin", pageOrigin(target, slug)]]
    : [
        ["Sec-Fetch-Site", "same-origin"],
        ["Referer", `${target.base}/c/${slug}/`],
      ];
}

/**
 * Sends a request to the runtime API of a canvas. Adds no headers except those that identify `person` and those in `headers`. A null person
 * is an anonymous caller.
 */
export function call(
  target: Target,
  slug: string,
  person: Person | null,
  method: string,
  path: string,
  headers: Header[] = [],
  body?: string | Buffer,
): Promise<Answer> {
  return send(target.base, {
    method,
    path: runtimePath(target, slug) + path,
    headers: [...(person?.headers ?? []), ...headers],
    ...(body === undefined ? {} : { body }),
  });
}

/**
 * Returns an object that sends requests to the runtime API of a canvas, as the canvas's page does when `person` has opened it. If `person`
 * is null, an anonymous visitor has opened it.
 */
export function open(target: Target, slug: string, person: Person | null): Page {
  const page: Page = {
    send: (method, path, headers = [], body) =>
      call(target, slug, person, method, path, [...pageHeaders(target, slug), ...headers], body),
    get: (path) => page.send("GET", path),
    delete: (path) => page.send("DELETE", path),
    put: (path, value) => page.putRaw(path, JSON.stringify(value)),
    putRaw: (path, body) => page.send("PUT", path, [JSON_TYPE], body),
    post: (path, value) => page.send("POST", path, [JSON_TYPE], JSON.stringify(value)),
  };
  return page;
}

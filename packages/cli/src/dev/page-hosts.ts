import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** The prefix of the paths that `easel dev` itself serves. No path of the service begins with it. */
export const OWN_PATH = "/__easel_dev/";

/** A host name under which pages open. `label` is the part before `.localhost`, and null for `localhost` or an IP address. */
export interface PageHost {
  /** The `Host` header: host and port. */
  host: string;
  origin: string;
  label: string | null;
}

const HOST = /^(?:(?:([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)\.)?localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Returns the host of a request. Returns null unless the request has exactly one `Host` header, with a loopback name and the port of the
 * connection. This stops DNS rebinding, where a foreign page points its own host name at this computer.
 */
export function pageHostOf({ rawHeaders, headers, socket }: IncomingMessage): PageHost | null {
  const count = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
  const host = headers.host?.toLowerCase() ?? "";
  const suffix = `:${socket.localPort}`;
  if (count !== 1 || !host.endsWith(suffix)) return null;
  const match = HOST.exec(host.slice(0, -suffix.length));
  return match === null ? null : { host, origin: `http://${host}`, label: match[1] ?? null };
}

/** Whether a page of the same origin has sent a request, according to the headers `Origin` and `Sec-Fetch-Site`. */
export function isSameOrigin(headers: IncomingHttpHeaders, { origin }: PageHost): boolean {
  const site = headers["sec-fetch-site"];
  if (headers.origin !== undefined && headers.origin !== origin) return false;
  return site === undefined ? headers.origin === origin : site === "same-origin";
}

/** Whether a request loads a document into a tab or a frame. */
export function isNavigation({ method, headers }: IncomingMessage): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const mode = headers["sec-fetch-mode"];
  return mode === undefined ? headers.accept?.includes("text/html") === true : mode === "navigate";
}

/** Replaces the origin `from` with `to` in the headers `Origin` and `Referer`. */
export function moveOrigin(headers: IncomingHttpHeaders, from: string, to: string): void {
  if (headers.origin === from) headers.origin = to;
  if (headers.referer?.startsWith(`${from}/`)) headers.referer = to + headers.referer.slice(from.length);
}

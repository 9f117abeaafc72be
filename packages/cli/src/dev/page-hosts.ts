import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Env } from "@easel/server";
import type { Report } from "./call-report.ts";
import type { LivePages } from "./live-pages.ts";

/** The canvas that `easel dev` serves, with the service in this process and the reverse proxy (see `createReverseProxy`). */
export interface Site {
  /** The port on which the reverse proxy listens. */
  port: number;
  /** The origin of the reverse proxy on `localhost`. The service uses it as its public origin. */
  origin: string;
  slug: string;
  env: Env;
  /** The origin at which the service listens. */
  service: string;
  /** The origin of a dev server that serves the files of the page instead of the folder; null without `--proxy`. */
  proxy: string | null;
  live: LivePages;
  report: Report;
  /** The faults of `easel.json`, one sentence each. */
  faults: string[];
}

/** The path of the canvas, with a slash at the end. */
export const canvasPath = ({ slug }: Pick<Site, "slug">): string => `/c/${slug}/`;

/*
 * Browsers send the cookies of `localhost` to every port. Cookies of the service therefore get the port as a suffix of their names in the
 * browser, so that two services on one computer do not sign each other's people out.
 */

/** Converts a `Cookie` header from the browser: keeps the cookies that have the suffix of this port, and removes the suffix. */
export function cookiesForService(header: string | undefined, port: number): string {
  const suffix = `_${port}`;
  return (header ?? "")
    .split(";")
    .flatMap((each) => {
      const [name = "", ...value] = each.trim().split("=");
      return name.endsWith(suffix) ? [`${name.slice(0, -suffix.length)}=${value.join("=")}`] : [];
    })
    .join("; ");
}

/** Converts a `Set-Cookie` header of the service for the browser: adds the suffix of this port to the name. */
export const cookieForBrowser = (setCookie: string, port: number): string =>
  setCookie.replace(/^[^=;]*/, (name) => `${name}_${port}`);

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

import type { IncomingMessage } from "node:http";
import { cookiesForService } from "./cookie-names.ts";
import { canvasPath, type Site } from "./dev-site.ts";
import { isNavigation, moveOrigin, type PageHost } from "./page-hosts.ts";

/** Matches the paths of the service itself. With `--proxy`, all others lead to the dev server. */
const SERVICE_PATH =
  /^\/(v1|sdk|api|auth|oauth|c|schema|docs|reference|tokens|openapi\.json|llms\.txt|skill\.md|healthz|readyz|\.well-known\/oauth-authorization-server)(\/|$)/;

/** Returns the path of a request's URL, without the query. */
export const pathOf = (url = "/"): string => url.split("?", 1)[0] as string;

/**
 * Returns the headers of a request, rewritten for the service: its host, its origin and its cookie names. Removes headers that ask for a
 * compressed response, and for canvases those that allow a 304.
 */
export function serviceHeaders(
  request: IncomingMessage,
  { origin, label }: PageHost,
  site: Site,
): IncomingMessage["headers"] {
  const headers = { ...request.headers };
  if (label !== null) headers.host = new URL(site.origin).host;
  if (label !== null) moveOrigin(headers, origin, site.origin);
  headers.cookie = cookiesForService(headers.cookie, site.port);
  if (headers.cookie === "") delete headers.cookie;
  if (headers.upgrade === undefined) delete headers["accept-encoding"];
  for (const name of ["if-none-match", "if-modified-since"])
    if (pathOf(request.url).startsWith("/c/")) delete headers[name];
  return headers;
}

/** Rewrites the output of `serviceHeaders` in a request for the dev server. `cookie` is the `Cookie` header that the browser sent. */
export function moveToDevServer(
  { headers }: IncomingMessage,
  cookie: string | undefined,
  origin: string,
  target: string,
): void {
  if (cookie === undefined) delete headers.cookie;
  else headers.cookie = cookie;
  headers.host = new URL(target).host;
  moveOrigin(headers, origin, target);
}

/**
 * Returns the path and query of a request at the dev server of `--proxy`, or null if the service answers it. The service also answers when
 * it does not allow the person to open the canvas.
 */
export async function devServerPath(
  request: IncomingMessage,
  path: string,
  site: Site,
): Promise<string | null> {
  if (site.proxy === null) return null;
  const canvas = canvasPath(site);
  const url = request.url ?? "/";
  if (!path.startsWith(canvas)) return SERVICE_PATH.test(path) ? null : url;
  if (isNavigation(request)) {
    const { cookie } = request.headers;
    const { status } = await fetch(`${site.service}${canvas}`, {
      method: "HEAD",
      redirect: "manual",
      headers: { accept: "text/html", ...(cookie === undefined ? {} : { cookie }) },
    });
    if (status !== 200) return null;
  }
  return url.slice(canvas.length - 1);
}

import { randomBytes } from "node:crypto";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { identify } from "@easel/server/identity/identify";
import { callLine } from "./call-report.ts";
import { cookieForBrowser } from "./cookie-names.ts";
import { afterSignOut } from "./dev-sign-in.ts";
import { canvasPath, type Site } from "./dev-site.ts";
import { injectBar } from "./inject-bar.ts";
import type { PageHost } from "./page-hosts.ts";
import { allowBar } from "./page-policy.ts";

/** The maximum size of a page that gets the bar, and of an error response that is printed. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

/** Headers that are about one connection only, and are not passed on. */
const HOP_BY_HOP = ["connection", "keep-alive", "transfer-encoding", "upgrade"];

/** A request that is passed on: the host and the path that the browser has asked for, and the cookies that its response gets. */
export interface Visit {
  host: PageHost;
  path: string;
  cookies: string[];
  fromService: boolean;
}

/** Whether a response may be shown as a document. Only documents get the bar; a page that fetches HTML gets it unchanged. */
const isDocument = ({ headers }: IncomingMessage): boolean => {
  const destination = headers["sec-fetch-dest"];
  if (destination === undefined) return headers.accept?.includes("text/html") === true;
  return ["document", "iframe", "frame"].includes(destination);
};

/** Replaces the origin that the service knows by that of a host: each person has one of their own. */
const toHost = (text: string, { host, origin }: PageHost, site: Site): string =>
  text
    .replaceAll(site.origin.slice("http://".length), host)
    .replaceAll(encodeURIComponent(site.origin), encodeURIComponent(origin));

/** Returns the headers of a response for the browser: with the names of cookies, the origin and the policy that it needs. */
function browserHeaders(
  upstream: IncomingMessage,
  { host, path, cookies, fromService }: Visit,
  nonce: string,
  site: Site,
): OutgoingHttpHeaders {
  const status = upstream.statusCode ?? 502;
  const headers: OutgoingHttpHeaders = { ...upstream.headers };
  for (const name of HOP_BY_HOP) delete headers[name];
  if (fromService) {
    if (headers.location !== undefined) headers.location = toHost(String(headers.location), host, site);
    const set = [...(upstream.headers["set-cookie"] ?? []), ...cookies];
    if (path === "/auth/logout" && status < 400) set.push(...afterSignOut());
    headers["set-cookie"] = set.map((each) => cookieForBrowser(each, site.port));
    if (set.length === 0) delete headers["set-cookie"];
  } else if (cookies.length > 0) {
    const own = cookies.map((each) => cookieForBrowser(each, site.port));
    headers["set-cookie"] = [...(upstream.headers["set-cookie"] ?? []), ...own];
  }
  if (fromService && path.startsWith("/c/") && status !== 304) headers["cache-control"] = "no-store";
  for (const name of ["content-security-policy", "content-security-policy-report-only"])
    if (headers[name] !== undefined)
      headers[name] = allowBar(toHost(String(headers[name]), host, site), host.origin, nonce);
  return headers;
}

/** Sends the response of the service or the dev server to the browser. */
export async function sendResponse(
  upstream: IncomingMessage,
  request: IncomingMessage,
  response: ServerResponse,
  visit: Visit,
  site: Site,
): Promise<void> {
  const { host, path, fromService } = visit;
  const nonce = randomBytes(16).toString("base64");
  const status = upstream.statusCode ?? 502;
  const headers = browserHeaders(upstream, visit, nonce, site);
  const isHtml = /^text\/html\b/i.test(upstream.headers["content-type"] ?? "");
  const isPage = isHtml && isDocument(request) && status !== 206 && headers["content-encoding"] === undefined;
  if (isPage && Number(upstream.headers["content-length"] ?? 0) <= MAX_PAGE_BYTES) {
    delete headers["content-length"];
    delete headers.etag;
    if (request.method === "HEAD") return void response.writeHead(status, headers).end();
    const page = await buffer(upstream);
    const isOwnPage = fromService && host.label !== null && !path.startsWith(canvasPath(site));
    const text = isOwnPage ? Buffer.from(toHost(page.toString("utf8"), host, site)) : page;
    response.writeHead(status, headers).end(injectBar(text, nonce));
    return;
  }
  const runtime = `/v1/c/${site.slug}`;
  // Refused sockets are in the call log.
  if (
    fromService &&
    status >= 400 &&
    path.startsWith(`${runtime}/`) &&
    path !== `${runtime}/realtime` &&
    Number(upstream.headers["content-length"]) <= MAX_ERROR_BYTES
  ) {
    const body = await buffer(upstream);
    response.writeHead(status, headers).end(body);
    const user = await identify(request, null, site.env);
    const call = { method: request.method ?? "", path: path.slice(runtime.length), status };
    site.report.add(callLine(call, body.toString("utf8"), user?.name ?? null));
    return;
  }
  response.writeHead(status, headers);
  upstream.once("error", () => response.destroy()).pipe(response);
  response.once("close", () => upstream.destroy());
}

import { randomBytes } from "node:crypto";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { identify } from "@easel/server";
import { afterSignOut } from "./dev-sign-in.ts";
import { canvasPath, cookieForBrowser, OWN_PATH, type PageHost, type Site } from "./page-hosts.ts";

/** The directives of a browser for script elements and for connections, each followed by its fallbacks. */
const SCRIPTS = ["script-src-elem", "script-src", "default-src"];
const CONNECTIONS = ["connect-src", "default-src"];

/**
 * Adds sources to the directive `names[0]`. If the policy lacks it, starts from the sources of the first fallback. Does nothing if the
 * policy has none of the directives, because it then allows everything.
 */
function allow(directives: Map<string, string[]>, names: string[], sources: string[]): void {
  const known = names.find((name) => directives.has(name));
  if (known === undefined) return;
  const before = directives.get(known)?.filter((source) => source.toLowerCase() !== "'none'") ?? [];
  directives.set(names[0] as string, [...before, ...sources]);
}

/**
 * Returns a `Content-Security-Policy` that also allows the script and the connections of `easel dev`, and nothing else. It allows the
 * script by URL, because a nonce would turn off `'unsafe-inline'` of the page. With `'strict-dynamic'`, which turns off URLs, it allows the
 * script by nonce. `origin` is the origin of the page.
 */
export function allowBar(header: string, origin: string, nonce: string): string {
  return header
    .split(",")
    .map((policy) => {
      const directives = new Map<string, string[]>();
      for (const part of policy.split(";")) {
        const [name, ...sources] = part.trim().split(/\s+/);
        if (name !== undefined && name !== "" && !directives.has(name.toLowerCase()))
          directives.set(name.toLowerCase(), sources);
      }
      const scripts = SCRIPTS.map((name) => directives.get(name)).find((sources) => sources !== undefined);
      const isStrict = scripts?.some((source) => source.toLowerCase() === "'strict-dynamic'") === true;
      allow(directives, SCRIPTS, [isStrict ? `'nonce-${nonce}'` : `${origin}${OWN_PATH}bar.js`]);
      allow(directives, CONNECTIONS, [
        `${origin}${OWN_PATH}`,
        `${origin.replace(/^http/, "ws")}${OWN_PATH}live`,
      ]);
      return [...directives].map(([name, sources]) => [name, ...sources].join(" ")).join("; ");
    })
    .join(", ");
}

/** The UTF-8 byte order mark in Latin 1. */
const MARK = "\u00ef\u00bb\u00bf";
const [COMMENT, END_OF_COMMENT] = ["<!--", "-->"];

/** Returns the position after the doctype of a document in Latin 1. If there is none, returns the position after the byte order mark. */
function endOfDoctype(text: string): number {
  const start = text.startsWith(MARK) ? MARK.length : 0;
  const spaceAndDoctype = /\s*(<!doctype[^>]*>)?/iy;
  let at = start;
  for (;;) {
    spaceAndDoctype.lastIndex = at;
    const [space = "", doctype] = spaceAndDoctype.exec(text) ?? [];
    at += space.length;
    if (doctype !== undefined) return at;
    const end = text.startsWith(COMMENT, at) ? text.indexOf(END_OF_COMMENT, at + COMMENT.length) : -1;
    if (end === -1) return start;
    at = end + END_OF_COMMENT.length;
  }
}

/**
 * Inserts the script of `easel dev` into a page, after the doctype and before everything else, so that it catches the page's first error.
 * HTML allows a script there: the browser puts it into the head.
 */
export function injectBar(page: Buffer, nonce: string): Buffer {
  // Latin 1 keeps every byte, whatever the encoding of the page is.
  const at = endOfDoctype(page.toString("latin1"));
  const script = Buffer.from(`<script src="${OWN_PATH}bar.js" nonce="${nonce}"></script>`);
  return Buffer.concat([page.subarray(0, at), script, page.subarray(at)]);
}

/** The maximum sizes of a page that gets the bar, and of an error response that is printed. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

/** Headers that are about one connection only, and are not passed on. */
const HOP_BY_HOP = ["connection", "keep-alive", "transfer-encoding", "upgrade"];

/**
 * A request that is passed on: its original host and path, and the `Set-Cookie` headers for its response. `fromService` is false if the dev
 * server answers it.
 */
export interface ForwardedRequest {
  host: PageHost;
  path: string;
  cookies: string[];
  fromService: boolean;
}

/** Whether a browser requests a document. Only documents get the bar; HTML that a script fetches stays unchanged. */
const isDocument = ({ headers }: IncomingMessage): boolean => {
  const destination = headers["sec-fetch-dest"];
  if (destination === undefined) return headers.accept?.includes("text/html") === true;
  return ["document", "iframe", "frame"].includes(destination);
};

/** Replaces the origin of the service in a text with the origin of the person's host. */
const toHost = (text: string, { host, origin }: PageHost, site: Site): string =>
  text
    .replaceAll(site.origin.slice("http://".length), host)
    .replaceAll(encodeURIComponent(site.origin), encodeURIComponent(origin));

/** Returns the headers of a response, rewritten for the browser: cookies, origin and content security policy. */
function browserHeaders(
  upstream: IncomingMessage,
  { host, path, cookies, fromService }: ForwardedRequest,
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
  original: ForwardedRequest,
  site: Site,
): Promise<void> {
  const { host, path, fromService } = original;
  const nonce = randomBytes(16).toString("base64");
  const status = upstream.statusCode ?? 502;
  const headers = browserHeaders(upstream, original, nonce, site);
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
  // Refused WebSockets are reported from the call log, see `reportSocket`.
  if (
    fromService &&
    status >= 400 &&
    path.startsWith(`${runtime}/`) &&
    path !== `${runtime}/realtime` &&
    Number(upstream.headers["content-length"]) <= MAX_ERROR_BYTES
  ) {
    const body = await buffer(upstream);
    response.writeHead(status, headers).end(body);
    const { user } = await identify(request, null, site.env);
    const call = { method: request.method ?? "", path: path.slice(runtime.length), status };
    site.report.addCall(call, body.toString("utf8"), user.kind === "visitor" ? null : user.name);
    return;
  }
  response.writeHead(status, headers);
  upstream.once("error", () => response.destroy()).pipe(response);
  response.once("close", () => upstream.destroy());
}

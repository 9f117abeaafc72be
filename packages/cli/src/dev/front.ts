import { randomBytes } from "node:crypto";
import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { identify } from "@easel/server/identity/identify";
import { createProxyServer, type ProxyServer } from "httpxy";
import { callLine } from "./call-report.ts";
import { cookieForBrowser, cookiesForService } from "./cookie-names.ts";
import { answerOwn, stateFor } from "./dev-pages.ts";
import { afterSignOut, ensureSignedIn } from "./dev-sign-in.ts";
import { canvasPath, type Site } from "./dev-site.ts";
import { injectBar } from "./inject-bar.ts";
import { isNavigation, moveOrigin, OWN_PATH, type PageHost, pageHostOf } from "./page-hosts.ts";
import { allowBar } from "./page-policy.ts";

/** The maximum size of a page that gets the bar, and of an error response that is printed. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

/** Matches the paths of the service itself. With `--proxy`, all others lead to the dev server. */
const SERVICE_PATH =
  /^\/(v1|sdk|api|auth|oauth|c|schema|docs|reference|tokens|openapi\.json|llms\.txt|skill\.md|healthz|readyz|\.well-known\/oauth-authorization-server)(\/|$)/;

/** Headers that are about one connection only, and are not passed on. */
const HOP_BY_HOP = ["connection", "keep-alive", "transfer-encoding", "upgrade"];

/** A request that is passed on: the host and the path that the browser has asked for, and the cookies that its response gets. */
interface Visit {
  host: PageHost;
  path: string;
  cookies: string[];
  fromService: boolean;
}

const pathOf = (url = "/"): string => url.split("?", 1)[0] as string;

/** Whether a response may be shown as a document. Only documents get the bar; a page that fetches HTML gets it unchanged. */
const isDocument = ({ headers }: IncomingMessage): boolean => {
  const destination = headers["sec-fetch-dest"];
  if (destination === undefined) return headers.accept?.includes("text/html") === true;
  return ["document", "iframe", "frame"].includes(destination);
};

/**
 * Serves the addresses that a person opens: passes requests on to the service or the dev server under the name that these expect, signs
 * people in, adds the bar to pages and reports refusals. Does not listen yet. `site` returns null until the service has started.
 */
export function createFront(site: () => Site | null): { server: Server; close(): Promise<void> } {
  const agent = new Agent({ keepAlive: true });
  const proxy = createProxyServer({ selfHandleResponse: true, agent });
  const visits = new WeakMap<IncomingMessage, Visit>();
  const sockets = new Set<Socket>();

  proxy.on("proxyRes", (upstream, request, response) => {
    const visit = visits.get(request);
    const now = site();
    if (visit === undefined || now === null) return void response.destroy();
    respond(upstream, request, response, visit, now).catch(() => response.destroy());
  });

  const server = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      site()?.report.add(`${request.method} ${pathOf(request.url)} failed: ${String(error)}`);
      if (response.headersSent) response.destroy();
      else
        response.writeHead(502, { "content-type": "text/plain; charset=utf-8" }).end("easel dev failed.\n");
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const host = pageHostOf(request);
    const now = site();
    if (host === null) return refuse(response, 421, "This host is not served here.");
    if (now === null) return refuse(response, 503, "easel dev is starting.");
    const path = pathOf(request.url);
    const { headers: asked } = request;
    request.headers = serviceHeaders(request, host, now);
    if (path.startsWith(OWN_PATH)) return answerOwn(request, asked, response, host, now);
    if (path === "/" && isNavigation(request)) {
      response.writeHead(302, { location: canvasPath(now), "cache-control": "no-store" }).end();
      return;
    }
    const cookies = isNavigation(request) ? await ensureSignedIn(request, host, now) : [];
    const files = await devServerPath(request, path, now);
    visits.set(request, { host, path, cookies, fromService: files === null });
    if (files === null) return proxy.web(request, response, { target: now.service });
    request.url = files;
    await toDevServer(request, response, asked.cookie, now);
  }

  /** Passes a request on to the dev server of `--proxy`. */
  async function toDevServer(
    request: IncomingMessage,
    response: ServerResponse,
    cookie: string | undefined,
    { proxy: target, origin }: Site,
  ): Promise<void> {
    if (target === null) return;
    moveToDevServer(request, cookie, origin, target);
    try {
      await proxy.web(request, response, { target });
    } catch {
      if (response.headersSent) return void response.destroy();
      // The page loads itself again until the dev server responds.
      response.setHeader("refresh", "1");
      refuse(response, 502, `Nothing answers at ${target} yet. Is the dev server running?`);
    }
  }

  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    upgrade(request, socket, head, { site: site(), proxy }).catch(() => socket.destroy());
  });

  return {
    server,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      await closed;
    },
  };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response
    .writeHead(status, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" })
    .end(`${message}\n`);
}

/**
 * Returns the headers of a request as the service expects them: with its own host, origin and names of cookies. Content is neither
 * compressed nor taken from a cache.
 */
function serviceHeaders(
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

/** Changes the headers of a request for the service to those for the dev server, which gets all cookies of the browser. */
function moveToDevServer(
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
 * Returns the URL at the dev server of `--proxy` that a request is for, or null if the service answers it. A page of the canvas is only
 * shown to those whom the service lets in.
 */
async function devServerPath(request: IncomingMessage, path: string, site: Site): Promise<string | null> {
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

/** Sends the response of the service or the dev server to the browser. */
async function respond(
  upstream: IncomingMessage,
  request: IncomingMessage,
  response: ServerResponse,
  { host, path, cookies, fromService }: Visit,
  site: Site,
): Promise<void> {
  const nonce = randomBytes(16).toString("base64");
  const status = upstream.statusCode ?? 502;
  const headers: Record<string, string | string[] | undefined> = { ...upstream.headers };
  for (const name of HOP_BY_HOP) delete headers[name];
  // The service knows one origin; each person has one of their own.
  const moved = (text: string) =>
    text
      .replaceAll(site.origin.slice("http://".length), host.host)
      .replaceAll(encodeURIComponent(site.origin), encodeURIComponent(host.origin));
  if (fromService) {
    if (headers.location !== undefined) headers.location = moved(String(headers.location));
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
      headers[name] = allowBar(moved(String(headers[name])), host.origin, nonce);

  const isHtml = /^text\/html\b/i.test(upstream.headers["content-type"] ?? "");
  const isPage = isHtml && isDocument(request) && status !== 206 && headers["content-encoding"] === undefined;
  if (isPage && Number(upstream.headers["content-length"] ?? 0) <= MAX_PAGE_BYTES) {
    delete headers["content-length"];
    delete headers.etag;
    if (request.method === "HEAD") return void response.writeHead(status, headers).end();
    const page = await buffer(upstream);
    const isOwnPage = fromService && host.label !== null && !path.startsWith(canvasPath(site));
    const text = isOwnPage ? Buffer.from(moved(page.toString("utf8"))) : page;
    response.writeHead(status, headers).end(injectBar(text, nonce));
    return;
  }
  const runtime = `/v1/c/${site.slug}`;
  if (
    fromService &&
    status >= 400 &&
    path.startsWith(`${runtime}/`) &&
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

/** Passes the socket of a page on to the service or the dev server, or connects it to `easel dev` itself. */
async function upgrade(
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  { site, proxy }: { site: Site | null; proxy: ProxyServer },
): Promise<void> {
  const host = pageHostOf(request);
  if (host === null || site === null) return void socket.destroy();
  const path = pathOf(request.url);
  const { headers: asked } = request;
  if (path === `${OWN_PATH}live`) {
    if (asked.origin !== host.origin) return void socket.destroy();
    return site.live.accept(request, socket, head, stateFor(site));
  }
  request.headers = serviceHeaders(request, host, site);
  const files = await devServerPath(request, path, site);
  if (files === null || site.proxy === null)
    return proxy.ws(request, socket, { target: site.service, agent: false }, head);
  request.url = files;
  moveToDevServer(request, asked.cookie, site.origin, site.proxy);
  return proxy.ws(request, socket, { target: site.proxy, agent: false }, head);
}

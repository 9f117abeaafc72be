import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createProxyServer, type ProxyServer } from "httpxy";
import { answerOwn, stateFor } from "./dev-pages.ts";
import { ensureSignedIn } from "./dev-sign-in.ts";
import {
  canvasPath,
  cookiesForService,
  isNavigation,
  moveOrigin,
  OWN_PATH,
  type PageHost,
  pageHostOf,
  type Site,
} from "./page-hosts.ts";
import { type ForwardedRequest, sendResponse } from "./send-response.ts";

/** Matches the paths of the service itself. With `--proxy`, all others lead to the dev server. */
const SERVICE_PATH =
  /^\/(v1|sdk|api|auth|oauth|c|schema|docs|reference|tokens|openapi\.json|llms\.txt|skill\.md|healthz|readyz|\.well-known\/oauth-authorization-server)(\/|$)/;

/** Returns the path of a request's URL, without the query. */
const pathOf = (url = "/"): string => url.split("?", 1)[0] as string;

/**
 * Returns the headers of a request, rewritten for the service: its host, its origin and its cookie names. Removes headers that ask for a
 * compressed response, and for canvases those that allow a 304.
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

/** Rewrites the output of `serviceHeaders` in a request for the dev server. `cookie` is the `Cookie` header that the browser sent. */
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
 * Returns the path and query of a request at the dev server of `--proxy`, or null if the service answers it. The service also answers when
 * it does not allow the person to open the canvas.
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

/**
 * Creates the reverse proxy between the browser and the service or the dev server. It rewrites headers, signs people in, adds the bar to
 * pages and reports refused calls (decision 043). It does not listen yet. `site` returns null until the service has started.
 */
export function createReverseProxy(site: () => Site | null): { server: Server; close(): Promise<void> } {
  const agent = new Agent({ keepAlive: true });
  const proxy = createProxyServer({ selfHandleResponse: true, agent });
  const forwarded = new WeakMap<IncomingMessage, ForwardedRequest>();
  const sockets = new Set<Socket>();

  proxy.on("proxyRes", (upstream, request, response) => {
    const original = forwarded.get(request);
    const now = site();
    if (original === undefined || now === null) return void response.destroy();
    sendResponse(upstream, request, response, original, now).catch(() => response.destroy());
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
    const { headers: originalHeaders } = request;
    request.headers = serviceHeaders(request, host, now);
    if (path.startsWith(OWN_PATH)) return answerOwn(request, originalHeaders, response, host, now);
    if (path === "/" && isNavigation(request)) {
      response.writeHead(302, { location: canvasPath(now), "cache-control": "no-store" }).end();
      return;
    }
    const cookies = isNavigation(request) ? await ensureSignedIn(request, host, now) : [];
    const files = await devServerPath(request, path, now);
    forwarded.set(request, { host, path, cookies, fromService: files === null });
    if (files === null) return proxy.web(request, response, { target: now.service });
    request.url = files;
    await toDevServer(request, response, originalHeaders.cookie, now);
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
      // The browser loads the page again every second until the dev server responds.
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

/** Passes the WebSocket of a page on to the service or the dev server, or accepts it for `easel dev` itself. */
async function upgrade(
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  { site, proxy }: { site: Site | null; proxy: ProxyServer },
): Promise<void> {
  const host = pageHostOf(request);
  if (host === null || site === null) return void socket.destroy();
  const path = pathOf(request.url);
  const { headers: originalHeaders } = request;
  if (path === `${OWN_PATH}live`) {
    if (originalHeaders.origin !== host.origin) return void socket.destroy();
    return site.live.accept(request, socket, head, stateFor(site));
  }
  request.headers = serviceHeaders(request, host, site);
  const files = await devServerPath(request, path, site);
  if (files === null || site.proxy === null)
    return proxy.ws(request, socket, { target: site.service, agent: false }, head);
  request.url = files;
  moveToDevServer(request, originalHeaders.cookie, site.origin, site.proxy);
  return proxy.ws(request, socket, { target: site.proxy, agent: false }, head);
}

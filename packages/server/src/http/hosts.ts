import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { contentPath, isSlug } from "./canvas-path.ts";
import { refuse } from "./refusal.ts";
import { wantsPage } from "./request-headers.ts";

/**
 * Returns the `Host` header of a request in lower case, or an empty text if there is none. Removes the port if it is the default of the
 * scheme, because some proxies add it.
 */
export function hostOf({ host = "" }: IncomingHttpHeaders, base: { host: string; secure: boolean }): string {
  if (host === base.host) return host;
  const [, name, port] = /^([^:[]+|\[[^\]]*\]):(\d+)$/.exec(host.toLowerCase()) ?? [];
  return name !== undefined && port === (base.secure ? "443" : "80") ? name : host.toLowerCase();
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether a route accepts any `Host` header, because load balancers and probes may use an IP address. Has no effect in dev mode. */
    anyHost?: boolean;
  }
}

/** Matches a `Host` header that leads to the machine of the client. */
export const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Whether a `Host` header names this service: the base host, a host below it in subdomain mode, or a loopback host. */
function isServiceHost(host: string, { base }: Env): boolean {
  return host === base.host || LOOPBACK.test(host) || base.labelOf(host) !== null;
}

/**
 * Returns the URL that the router uses instead of the request's URL. In subdomain mode, a request to the host of a canvas gets the URL
 * `/c/{slug}/…`, so that only the pages of this canvas are found there. All other URLs are returned unchanged.
 */
export function routedUrl({ url = "/", headers }: IncomingMessage, { base }: Env): string {
  if (base.urlMode !== "subdomain") return url;
  const slug = base.labelOf(hostOf(headers, base));
  return slug !== null && isSlug(slug) && url.startsWith("/") ? contentPath(slug) + url : url;
}

/** Mounts the checks of the `Host` header. */
export function mountHosts(app: FastifyInstance, env: Env): void {
  mountHostCheck(app, env);
  if (env.config.urlMode === "subdomain") mountCanvasHosts(app, env);
}

/**
 * Mounts a hook that rejects requests whose `Host` is not a host of this service with 421 `MISDIRECTED`, as a protection against DNS
 * rebinding. In dev mode it redirects a browser that uses another loopback host to the base address, where cookies and forms work.
 */
function mountHostCheck(app: FastifyInstance, env: Env): void {
  const isDev = env.config.authMode === "dev";
  app.addHook("onRequest", (request, reply, done) => {
    const host = hostOf(request.headers, env.base);
    const anyHost = !isDev && request.routeOptions.config.anyHost === true;
    if (!anyHost && !isServiceHost(host, env)) refuse("MISDIRECTED");
    const isOtherLoopback = isDev && host !== env.base.host && LOOPBACK.test(host);
    if (isOtherLoopback && request.method === "GET" && wantsPage(request.headers)) {
      return void reply.redirect(env.base.origin + request.url, 307);
    }
    done();
  });
}

/**
 * Mounts a hook that throws 404 `NOT_FOUND` for two kinds of requests to a subdomain of the base host: those where the subdomain is not a
 * slug, such as `xn--a`, and those whose URL does not begin with `/`.
 */
function mountCanvasHosts(app: FastifyInstance, env: Env): void {
  app.addHook("onRequest", ({ headers, url }, _reply, done) => {
    const slug = env.base.labelOf(hostOf(headers, env.base));
    if (slug !== null && !(isSlug(slug) && url.startsWith(`${contentPath(slug)}/`))) refuse("NOT_FOUND");
    done();
  });
}

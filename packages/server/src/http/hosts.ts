import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { contentPath, isSlug } from "./canvas-path.ts";
import { hostOf } from "./host-header.ts";
import { refuse } from "./refusal.ts";
import { wantsPage } from "./wants-page.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether a route answers under any host name: load balancers and probes ask by address. Not in dev mode. */
    anyHost?: boolean;
  }
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Whether a `Host` header names this service: the base host, a host below it in subdomain mode, or this computer. */
export function isOwnHost(host: string, { base }: Env): boolean {
  return host === base.host || LOOPBACK.test(host) || base.labelOf(host) !== null;
}

/**
 * In subdomain mode the host of a canvas is its pages' alone: whatever is asked of it lies below `/c/{slug}`, where canvases
 * are served. The service's own pages and APIs are at the base host.
 */
export function placeOf({ url = "/", headers }: IncomingMessage, { base }: Env): string {
  if (base.urlMode !== "subdomain") return url;
  const slug = base.labelOf(hostOf(headers, base));
  return slug !== null && isSlug(slug) && url.startsWith("/") ? contentPath(slug) + url : url;
}

/** What a request to a host may reach. */
export function mountHosts(app: FastifyInstance, env: Env): void {
  mountOwnNames(app, env);
  if (env.config.urlMode === "subdomain") mountCanvasHosts(app, env);
}

/**
 * Refuses requests for hosts of others, so that no page elsewhere can rebind its name to the service. In dev mode a browser that
 * comes by another name of this computer is taken to the base address, where its forms and cookies belong.
 */
function mountOwnNames(app: FastifyInstance, env: Env): void {
  const isDev = env.config.authMode === "dev";
  app.addHook("onRequest", (request, reply, done) => {
    const host = hostOf(request.headers, env.base);
    const anyHost = !isDev && request.routeOptions.config.anyHost === true;
    if (!anyHost && !isOwnHost(host, env)) refuse("MISDIRECTED");
    const strays = isDev && host !== env.base.host && LOOPBACK.test(host);
    if (strays && request.method === "GET" && wantsPage(request.headers)) {
      return void reply.redirect(env.base.origin + request.url, 307);
    }
    done();
  });
}

/** Names below the base host that no canvas can have, and addresses that were not rewritten, lead nowhere. */
function mountCanvasHosts(app: FastifyInstance, env: Env): void {
  app.addHook("onRequest", ({ headers, url }, _reply, done) => {
    const slug = env.base.labelOf(hostOf(headers, env.base));
    if (slug !== null && !(isSlug(slug) && url.startsWith(`${contentPath(slug)}/`))) refuse("NOT_FOUND");
    done();
  });
}

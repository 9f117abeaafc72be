import type { FastifyInstance } from "fastify";
import type { Env } from "./env.ts";
import { refuse } from "./kit/refusal.ts";

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Whether a `Host` header names a host of this service, given that only its own names count. */
export function isOwnHost(host: string, { base }: Env): boolean {
  return (
    host === base.host ||
    LOOPBACK.test(host) ||
    (base.urlMode === "subdomain" && host.endsWith(`.${base.host}`))
  );
}

/**
 * In dev mode, where anyone may be anyone, other names are refused: no page elsewhere can rebind its name to us. A browser
 * that comes by another name of this computer is taken to the base address, where its forms and cookies belong.
 */
export function mountHosts(app: FastifyInstance, env: Env): void {
  if (env.config.authMode !== "dev") return;
  app.addHook("onRequest", (request, reply, done) => {
    const host = request.headers.host?.toLowerCase() ?? "";
    if (!isOwnHost(host, env)) refuse("MISDIRECTED");
    const strays = host !== env.base.host && LOOPBACK.test(host);
    if (strays && request.method === "GET" && request.headers.accept?.includes("text/html")) {
      return void reply.redirect(env.base.origin + request.url, 307);
    }
    done();
  });
}

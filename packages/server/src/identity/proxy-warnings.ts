import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { hostOf, LOOPBACK } from "../http/hosts.ts";
import { hasProxySecret, isTrustedPeer } from "./proxy.ts";

/** A mistake in the configuration of a proxy that a request of it reveals, with what to change. */
interface Mistake {
  in: (request: IncomingMessage, env: Env) => boolean;
  message: (request: IncomingMessage, env: Env) => string;
}

const isForwarded = ({ headers }: IncomingMessage) => headers["x-forwarded-for"] !== undefined;

const MISTAKES: readonly Mistake[] = [
  {
    in: (request, { config }) => isForwarded(request) && !isTrustedPeer(request.socket.remoteAddress, config),
    message: ({ socket }) =>
      `a request from ${socket.remoteAddress} has the header X-Forwarded-For, which does not count from there: if this is the address of your proxy, add it to SERVICE_PROXY_TRUSTED_IPS. Otherwise all people share its address, with its limits`,
  },
  {
    in(request, { base, config }) {
      const host = hostOf(request.headers, base);
      return (
        LOOPBACK.test(host) &&
        host !== base.host &&
        isForwarded(request) &&
        isTrustedPeer(request.socket.remoteAddress, config)
      );
    },
    message: ({ headers }, { base }) =>
      `the proxy does not pass on Host: a request has ${headers.host} instead of ${base.host}. Let the proxy send the Host of the browser, for nginx with \`proxy_set_header Host $http_host;\`. Canvases with hosts of their own cannot be opened until then`,
  },
  {
    in: (request, { config }) =>
      config.authMode === "proxy" &&
      config.proxyJwksUrl === null &&
      request.headers[config.proxyEmailHeader.toLowerCase()] !== undefined &&
      !hasProxySecret(request, config),
    message: (_, { config }) =>
      `a request has ${config.proxyEmailHeader} without the secret of SERVICE_PROXY_SECRET, and counts as not signed in: let the proxy send the secret in X-Service-Proxy-Secret`,
  },
];

/**
 * Mounts a hook that logs mistakes in the configuration of the proxy, each when a request reveals it for the first time. There is no proxy in
 * dev mode.
 */
export function mountProxyWarnings(app: FastifyInstance, env: Env): void {
  if (env.config.authMode === "dev") return;
  const unsaid = new Set(MISTAKES);
  app.addHook("onRequest", ({ raw }, _reply, done) => {
    for (const mistake of unsaid) {
      if (!mistake.in(raw, env)) continue;
      unsaid.delete(mistake);
      env.log.warn(mistake.message(raw, env));
    }
    done();
  });
}

import type { IncomingMessage } from "node:http";
import fastify, { type FastifyInstance } from "fastify";
import { mountAgentPages } from "./agents/mount.ts";
import { refuseUnknownPath } from "./content/error-pages.ts";
import { mountContent } from "./content/routes.ts";
import { mountFavicon, mountSchema, mountSdk, mountStylesheet } from "./content/service-files.ts";
import { mountDashboard } from "./dashboard/mount.ts";
import { mountDocPages } from "./doc-pages/mount.ts";
import type { Env } from "./env.ts";
import { mountArrival } from "./http/arrival.ts";
import { setCommonHeaders } from "./http/cross-site.ts";
import { answerClientError, answerError, requestIds } from "./http/errors.ts";
import { mountHealth } from "./http/health.ts";
import { mountHosts, routedUrl } from "./http/hosts.ts";
import { loggable } from "./http/log.ts";
import { replaceOtherMethod } from "./http/methods.ts";
import { routableUrl } from "./http/query.ts";
import { refuse } from "./http/refusal.ts";
import { measureRequests } from "./http/request-metrics.ts";
import { dropStalled, spreadRequests } from "./http/sockets.ts";
import { isTrustedPeer } from "./identity/proxy.ts";
import { mountProxyWarnings } from "./identity/proxy-warnings.ts";
import { mountManagement } from "./management/mount.ts";
import { mountTools } from "./mcp/mount.ts";
import { mountOAuth } from "./oauth/mount.ts";
import { mountOpenApi } from "./openapi/mount.ts";
import { primitives } from "./primitives/index.ts";
import { mountRuntime } from "./primitives/mount.ts";
import { takesUpgrade } from "./primitives/mount-upgrade.ts";
import type { Primitive } from "./primitives/primitive.ts";
import { mountScim } from "./scim/mount.ts";
import { mountSignIn } from "./sign-in/routes.ts";
import { mountTokenPage } from "./token-page/routes.ts";

/** The time within which the request line and the headers must arrive. */
const HEADERS_TIMEOUT_MS = 15_000;
/**
 * The time within which a whole request with the largest allowed body must arrive. Handlers of smaller bodies set shorter timeouts
 * (http/body.ts).
 */
const REQUEST_TIMEOUT_MS = 300_000;

/**
 * The maximum size of the request line and the headers. Requests through a Connection have lower limits. When they exceed these, a handler
 * can still read them and send its own error.
 */
const MAX_HEADER_BYTES = 40 * 1024;

/**
 * The functions that mount the parts of the service, in the order in which they are called. The comment after each function shows the paths
 * that it serves.
 */
const PARTS: ((app: FastifyInstance, env: Env, served: readonly Primitive[]) => void)[] = [
  mountArrival, //    every request
  mountProxyWarnings, // every request
  mountHosts, //      every request
  mountHealth, //     /healthz /readyz
  mountRuntime, //    /v1/c/{slug}
  mountManagement, // /api
  mountSignIn, //     /auth
  mountScim, //       /scim/v2
  mountOAuth, //      /oauth
  mountTools, //      /mcp /confirm
  (app, env) => mountSdk(app, env), // /sdk/v1.js
  mountStylesheet, // /sdk/easel.css
  mountFavicon, //    /favicon.ico
  mountSchema, //     /schema/easel.json
  mountOpenApi, //    /openapi.json /reference
  mountAgentPages, // /llms.txt /skill.md /docs/{page}.md
  mountDocPages, //   /docs
  mountContent, //    /c/{slug}/
  mountDashboard, //  / /new /account /canvases/{id} /assets
  mountTokenPage, //  /tokens
];

/**
 * Whether a request has several `Host` headers. Such a request is ambiguous: a proxy could use one of the headers and the service another.
 */
const hasSeveralHosts = ({ rawHeaders }: IncomingMessage) =>
  rawHeaders.filter((name, index) => index % 2 === 0 && name.length === 4 && name.toLowerCase() === "host")
    .length > 1;

function noSchemas(): never {
  throw new TypeError("Routes have no schemas of Fastify: operations check their input themselves.");
}

/**
 * Builds the whole service as one HTTP application that does not listen yet. `served` are the parts of its runtime API, such as KV and
 * files.
 */
export async function createApp(
  env: Env,
  served: readonly Primitive[] = primitives,
): Promise<FastifyInstance> {
  const newRequestId = requestIds();
  const app = fastify({
    // Fastify's logger is off, because it creates a logger for each request, which costs time. Our log lines contain the request id anyway.
    logger: false,
    genReqId: newRequestId,
    // Runs before the router.
    rewriteUrl(request) {
      replaceOtherMethod(request as IncomingMessage);
      return routableUrl(routedUrl(request as IncomingMessage, env));
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, newRequestId()),
    frameworkErrors: (error, request, reply) =>
      answerError(error, request, reply.header("connection", "close"), env),
    forceCloseConnections: "idle",
    // Serves what still arrives on open connections while the service stops.
    return503OnClosing: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      connectionsCheckingInterval: 1_000,
      // A large list is sent in slices. With this small buffer, a connection whose client reads nothing buffers one slice instead of two.
      highWaterMark: 16 * 1024,
      // Lets requests without a `Host` header through to the check in http/hosts.ts, which sends an error in our format.
      requireHostHeader: false,
      shouldUpgradeCallback: (request) => takesUpgrade(request, served),
    },
    // Fastify takes `request.ip` from `X-Forwarded-For` if the peer is a trusted proxy.
    trustProxy: (address) => isTrustedPeer(address, env.config),
    // No route has a schema of Fastify. Without these, it loads two compilers of schemas, which are a sixth of all modules of the start.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // As large as the longest possible request line, so that the router rejects no path parameter because of its length. Handlers check the
    // length of keys themselves.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
  });
  spreadRequests(app.server, env.turns);
  if (env.config.metricsAddress !== null) measureRequests(app.server, env.metrics);
  dropStalled(app.server);
  // Ignores an `Expect` header with any value except `100-continue`, as HTTP allows.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, env));
  app.setNotFoundHandler((request) => refuseUnknownPath(request, env));
  // Fastify must not parse bodies: each handler reads the body of its request itself, up to the limit of its route.
  for (const method of app.supportedMethods)
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.addHook("onRequest", ({ raw, routeOptions }, reply, done) => {
    raw.routePattern = routeOptions.url;
    setCommonHeaders(reply, env.base);
    if (hasSeveralHosts(raw)) {
      reply.header("connection", "close");
      refuse("INVALID_BODY", { message: "A request names one host." });
    }
    done();
  });
  if (["debug", "trace"].includes(env.config.logLevel)) {
    app.addHook("onResponse", async (request, { statusCode, elapsedTime }) =>
      env.log.debug({ ...loggable(request), statusCode, ms: elapsedTime }, "request"),
    );
  }
  for (const mount of PARTS) mount(app, env, served);
  await app.ready();
  return app;
}

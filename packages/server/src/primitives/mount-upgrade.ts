import type { IncomingMessage } from "node:http";
import querystring from "node:querystring";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { parseCanvasPath } from "../http/canvas-path.ts";
import { refuse } from "../http/refusal.ts";
import type { PendingUpgrade } from "../http/upgrades.ts";
import { assertedUntil } from "../identity/proxy.ts";
import { admit } from "../pipeline/admit.ts";
import { readmit } from "../pipeline/readmit.ts";
import type { ApiVisit } from "../pipeline/visit.ts";
import type { Primitive, Route, UpgradeCall } from "./primitive.ts";

/**
 * Whether a request without a body asks for a WebSocket on a route that takes upgrades, in any encoding of its path. The server ignores the
 * `Upgrade` header of all other requests.
 */
export function takesUpgrade(
  { method, url = "", headers }: IncomingMessage,
  primitives: readonly Primitive[],
): boolean {
  if (
    method !== "GET" ||
    headers.upgrade?.toLowerCase() !== "websocket" ||
    headers["content-length"] !== undefined ||
    headers["transfer-encoding"] !== undefined
  )
    return false;
  const path = parseCanvasPath(url.split("?", 1)[0] ?? "");
  if (path?.surface !== "api") return false;
  const rest = querystring.unescape(path.rest);
  return primitives.some(({ routes }) => routes[rest]?.upgrade !== undefined);
}

/** Creates the upgrader of a route, which starts and stops with the service. Returns the function that handles its upgrade requests. */
export function mountUpgrade(
  app: FastifyInstance,
  env: Env,
  { capability }: Primitive,
  upgrade: NonNullable<Route["upgrade"]>,
): (
  request: FastifyRequest,
  reply: FastifyReply,
  pending: PendingUpgrade,
  visit: ApiVisit,
) => Promise<FastifyReply> {
  const upgrader = upgrade(env);
  app.addHook("onReady", () => upgrader.start());
  app.addHook("preClose", () => upgrader.close());

  return async (request, reply, pending, visit) => {
    const { raw } = request;
    const admitted = await admit(visit, null, env);
    requireOwnOrigin(raw, env);
    const until = await assertedUntil(raw, env);
    upgrader.accept({
      ...admitted,
      request: raw,
      requestId: request.id,
      head: pending.head,
      until,
      takeSocket() {
        const headers = reply.getHeaders();
        reply.hijack();
        return { socket: pending.takeSocket(), headers };
      },
      readmit: readmission(admitted, raw.headers, until, capability, env),
    });
    return reply;
  };
}

/** Returns the function that rechecks the access of an open connection. It keeps only those headers of the request that it needs. */
function readmission(
  { user, canvas: { id, slug } }: Pick<UpgradeCall, "user" | "canvas">,
  { cookie, authorization }: IncomingMessage["headers"],
  until: number,
  capability: Primitive["capability"],
  env: Env,
): UpgradeCall["readmit"] {
  const request = { headers: { cookie, authorization }, assertedUntil: until };
  const caller = { user, canvas: { id, slug } };
  return () => readmit(request, caller, capability, env);
}

/**
 * Throws 403 `CROSS_SITE_FORBIDDEN` for upgrades from pages of other origins in path mode. CORS prevents such pages from reading other
 * responses, but not from reading a WebSocket, so the session cookie is not enough.
 */
function requireOwnOrigin({ headers: { origin } }: IncomingMessage, { base }: Env): void {
  if (base.urlMode === "path" && origin !== undefined && origin !== base.origin)
    refuse("CROSS_SITE_FORBIDDEN");
}

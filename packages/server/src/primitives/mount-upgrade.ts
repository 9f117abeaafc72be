import type { IncomingMessage } from "node:http";
import querystring from "node:querystring";
import type { Capability } from "@easel/protocol/capabilities";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RuntimeUse } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { runtimeRest } from "../http/canvas-path.ts";
import { refuse } from "../http/refusal.ts";
import type { PendingUpgrade } from "../http/sockets.ts";
import { admit, readmit } from "../pipeline/admit.ts";
import type { Admitted, ApiVisit } from "../pipeline/visit.ts";
import type { Primitive, RuntimeOperation } from "./primitive.ts";

/**
 * Whether a request is a GET without a body that asks for a WebSocket on a route that accepts WebSockets. The path may be percent-encoded.
 * The server ignores the `Upgrade` header of all other requests.
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
  const rest = querystring.unescape(runtimeRest(url.split("?", 1)[0] ?? "") ?? "");
  return primitives.some(({ operations }) =>
    operations.some((each) => each.upgrade !== undefined && each.path === rest),
  );
}

/**
 * Creates the object that serves the WebSockets of a path, by calling `upgrade`. The service starts and closes this object. Returns the
 * handler of requests that open a WebSocket.
 */
export function mountUpgrade(
  app: FastifyInstance,
  env: Env,
  { capability }: Primitive,
  upgrade: NonNullable<RuntimeOperation["upgrade"]>,
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
    requireServiceOrigin(raw, env);
    upgrader.accept({
      ...admitted,
      request: raw,
      requestId: request.id,
      head: pending.head,
      takeSocket() {
        const headers = reply.getHeaders();
        reply.hijack();
        return { socket: pending.takeSocket(), headers };
      },
      readmit: readmission(admitted, visit.use, capability, env),
    });
    return reply;
  };
}

/**
 * Returns the function that checks the access of an open connection again. It is made here so that it keeps nothing else of the request in
 * memory for as long as the connection lasts: closures of one function keep all variables that any of them uses.
 */
function readmission(
  { user, credential, passes, canvas: { id, slug } }: Admitted,
  use: RuntimeUse,
  capability: Capability,
  env: Env,
): () => Promise<Admitted> {
  const admission = { user, credential, passes, canvas: { id, slug }, use };
  return () => readmit(admission, capability, env);
}

/**
 * In path mode, throws 403 `CROSS_SITE_FORBIDDEN` if a page of another origin opens a WebSocket. The browser would send the user's session
 * cookie with the handshake, and CORS does not stop the page from reading the frames.
 */
function requireServiceOrigin({ headers: { origin } }: IncomingMessage, { base }: Env): void {
  if (base.urlMode === "path" && origin !== undefined && origin !== base.origin)
    refuse("CROSS_SITE_FORBIDDEN");
}

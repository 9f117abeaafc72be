import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { LIMITS } from "@easel/protocol/limits";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { WebSocketServer } from "ws";
import { identifyAgain } from "../auth/again.ts";
import { policyOf } from "../canvases/policy.ts";
import type { Env } from "../env.ts";
import { answerClientError } from "../errors.ts";
import { handlerFor, METHODS } from "../kit/methods.ts";
import { refuse } from "../kit/refusal.ts";
import { requireCapability } from "../pipeline/capability.ts";
import { admit } from "../pipeline/index.ts";
import { resolve } from "../pipeline/resolve.ts";
import type { Admitted } from "../pipeline/visit.ts";
import { ROOT, visitOf } from "./mount.ts";
import { Hub } from "./realtime/hub.ts";
import type { Look } from "./realtime/line.ts";

const PATH = "/realtime";

const OPTIONS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  // Well above the longest frame, so that one that is a little too long is told so; past it the connection is closed.
  maxPayload: 8 * LIMITS.frameBytes.value,
  maxFragments: 1_024,
  /** How long a peer may take to answer a goodbye, in milliseconds. */
  closeTimeout: 2_000,
  handleProtocols: () => false as const,
};

/** Whether a request asks for a WebSocket where there is one. Any other offer to upgrade is passed over. */
export const isUpgrade = ({ method, url = "", headers }: IncomingMessage): boolean =>
  method === "GET" &&
  headers.upgrade?.toLowerCase() === "websocket" &&
  /^\/v1\/c\/[^/?]+\/realtime(\?|$)/.test(url);

/** What the HTTP server hands over with a request to upgrade. */
interface Upgrade {
  socket: Socket;
  head: Buffer;
  /** The answer, as long as it is one of HTTP. */
  response: ServerResponse;
}

/**
 * Mounts `GET /realtime` (specification 4.7). An upgrade takes the way of every request, so that it is refused as one: in HTTP,
 * with body and headers. Only that the capability is off, or the canvas full, is told by frames: a browser cannot read a
 * refused handshake.
 */
export function mountRealtime(app: FastifyInstance, env: Env): void {
  const hub = new Hub(env);
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  const admissions = new WeakMap<IncomingMessage, Admitted>();
  const headersOf101 = new WeakMap<IncomingMessage, ReturnType<FastifyReply["getHeaders"]>>();
  const server = new WebSocketServer(OPTIONS);
  server.on("headers", (lines, request) => {
    for (const [name, value] of Object.entries(headersOf101.get(request) ?? {}))
      for (const each of [value].flat()) lines.push(`${name}: ${each}`);
  });
  server.on("wsClientError", (error, socket) => answerClientError(error, socket as Socket, "handshake"));

  app.server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", dropped);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => socket.destroySoon());
    upgrades.set(request, { socket, head, response });
    app.server.emit("request", request, response);
  });

  app.route({
    method: [...METHODS],
    url: ROOT + PATH,
    async onRequest(request, reply) {
      const capability = upgrades.has(request.raw) ? null : "realtime";
      admissions.set(request.raw, await admit(visitOf(request, reply, PATH), capability, env));
    },
    async handler(request, reply) {
      const handler = handlerFor({ GET: () => accept(request, reply) }, request.method, reply);
      return handler();
    },
  });
  app.addHook("onReady", () => hub.start());
  app.addHook("preClose", () => hub.close());

  function accept(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { raw } = request;
    const upgrade = upgrades.get(raw);
    const version = raw.headers["sec-websocket-version"];
    if (upgrade === undefined || version !== "13") {
      reply.header("upgrade", "websocket").header("sec-websocket-version", "13");
      return refuse("INVALID_BODY", { message: "This address is opened as a WebSocket, version 13." }, 426);
    }
    const admitted = admissions.get(raw) as Admitted;
    const look = lookerOf(admitted, raw.headers, env);
    headersOf101.set(raw, reply.getHeaders());
    reply.hijack();
    const { socket, head, response } = upgrade;
    response.detachSocket(socket);
    socket.off("error", dropped);
    server.handleUpgrade(raw, socket, head, (ws) => {
      hub.enter(ws, socket, { ...admitted, policy: {} }, look);
    });
    return reply;
  }
}

function dropped(this: Socket): void {
  this.destroy();
}

/** Passes the steps of the pipeline that can change again: who is asking, whether they may be here, what is switched on. */
function lookerOf(
  { person, canvas: { id, slug } }: Admitted,
  { cookie, authorization }: IncomingMessage["headers"],
  env: Env,
): Look {
  const request = { headers: { cookie, authorization } };
  return async () => {
    const visitor = (await identifyAgain(person, request, env)) ?? refuse("NOT_AUTHENTICATED");
    const { canvas, role } = await resolve({ slug, surface: "api", request }, visitor, env);
    if (canvas.id !== id) refuse("NOT_FOUND");
    requireCapability(canvas, "realtime", env);
    return { person: visitor, canvas, role, policy: await policyOf(canvas, env) };
  };
}

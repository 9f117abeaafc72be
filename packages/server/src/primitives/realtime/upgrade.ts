import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import querystring from "node:querystring";
import { LIMITS } from "@easel/protocol/limits";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { WebSocketServer } from "ws";
import { policyOf } from "../../canvases/policy.ts";
import type { Env } from "../../env.ts";
import { answerClientError } from "../../http/errors.ts";
import { handlerFor, METHODS } from "../../http/methods.ts";
import { refuse } from "../../http/refusal.ts";
import { assertedUntil } from "../../identity/proxy.ts";
import { admit } from "../../pipeline/index.ts";
import { readmit } from "../../pipeline/readmit.ts";
import type { Admitted } from "../../pipeline/visit.ts";
import { ROOT, visitOf } from "../mount.ts";
import { ClientSocket } from "./client-socket.ts";
import { Hub } from "./hub.ts";
import type { Look } from "./line.ts";

const PATH = "/realtime";

const OPTIONS = {
  WebSocket: ClientSocket,
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  // Well above the longest frame, so that the connection survives one that is a little too long; past it, it is closed.
  maxPayload: 8 * LIMITS.frameBytes.value,
  maxFragments: 1_024,
  /** How long a peer may take to answer a goodbye, in milliseconds. */
  closeTimeout: 2_000,
  handleProtocols: () => false as const,
};

/**
 * Whether a request asks for a WebSocket where there is one, in whatever spelling of the path. Any other offer to upgrade is
 * passed over, and so is one with a body.
 */
export function isUpgrade({ method, url = "", headers }: IncomingMessage): boolean {
  const [path = ""] = url.split("?");
  return (
    method === "GET" &&
    headers.upgrade?.toLowerCase() === "websocket" &&
    headers["content-length"] === undefined &&
    headers["transfer-encoding"] === undefined &&
    /^\/v1\/c\/[^/]+\/[^/]+$/.test(path) &&
    querystring.unescape(path).endsWith(PATH)
  );
}

/** What the HTTP server hands over with a request to upgrade. */
interface Upgrade {
  socket: Socket;
  head: Buffer;
  /** The answer, as long as it is one of HTTP. */
  response: ServerResponse;
  /** The request's id, once it has one. */
  id: string;
  /** What the pipeline has said in headers by the time that the upgrade is accepted. */
  headers: Partial<ReturnType<FastifyReply["getHeaders"]>>;
}

/**
 * Mounts `GET /realtime` (specification 4.7). An upgrade takes the way of every request, so that it is refused as one: in HTTP,
 * with body and headers. Only that the capability is off, or the canvas full, is told by frames: a browser cannot read a
 * refused handshake.
 */
export function mountRealtime(app: FastifyInstance, env: Env): void {
  const hub = new Hub(env);
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  const server = new WebSocketServer(OPTIONS);
  server.on("headers", (lines, request) => {
    for (const [name, value] of Object.entries(upgrades.get(request)?.headers ?? {}))
      for (const each of [value].flat()) lines.push(`${name}: ${each}`);
  });
  server.on("wsClientError", (error, stream, request) => {
    const socket = stream as Socket;
    answerClientError(error, socket, upgrades.get(request)?.id ?? "");
    socket.destroySoon();
  });

  app.server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", dropped);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    try {
      response.assignSocket(socket);
    } catch {
      // Asked for behind a request that has not been answered yet, which no client does.
      return void socket.destroy();
    }
    response.once("finish", () => socket.destroySoon());
    upgrades.set(request, { socket, head, response, id: "", headers: {} });
    app.server.emit("request", request, response);
  });

  async function accept(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { raw } = request;
    const upgrade = upgrades.get(raw);
    const admitted = await admit(visitOf(request, reply, PATH), upgrade ? null : "realtime", env);
    handlerFor({ GET: accept }, request.method, reply);
    if (upgrade === undefined || raw.headers["sec-websocket-version"] !== "13") {
      reply.header("upgrade", "websocket").header("sec-websocket-version", "13");
      return refuse("INVALID_BODY", { message: "This address is opened as a WebSocket, version 13." }, 426);
    }
    requireOwnOrigin(raw, env);
    const until = await assertedUntil(raw, env);
    const look = lookerOf(admitted, raw.headers, until, env);
    upgrade.id = request.id;
    upgrade.headers = reply.getHeaders();
    reply.hijack();
    const { socket, head, response } = upgrade;
    response.detachSocket(socket);
    socket.off("error", dropped);
    server.handleUpgrade(raw, socket, head, (ws) => {
      hub.enter(ws, socket, { ...admitted, policy: {}, until }, look);
    });
    return reply;
  }

  app.route({ method: [...METHODS], url: ROOT + PATH, handler: accept });
  app.addHook("onReady", () => hub.start());
  app.addHook("preClose", () => hub.close());
}

/**
 * In path mode, too, a browser says which page opens a socket. Answers to requests from elsewhere stay unread, but whoever opens
 * a socket reads it, so it is not enough that the cookie came along.
 */
function requireOwnOrigin({ headers: { origin } }: IncomingMessage, { base }: Env): void {
  if (base.urlMode === "path" && origin !== undefined && origin !== base.origin)
    refuse("CROSS_SITE_FORBIDDEN");
}

function dropped(this: Socket): void {
  this.destroy();
}

/** Rechecks a visitor's access; keeps no more of the request than that needs. */
function lookerOf(
  { user, canvas: { id, slug } }: Admitted,
  { cookie, authorization }: IncomingMessage["headers"],
  until: number,
  env: Env,
): Look {
  const request = { headers: { cookie, authorization }, assertedUntil: until };
  const visitor = { user, canvas: { id, slug } };
  return async () => {
    const now = await readmit(request, visitor, "realtime", env);
    return { ...now, policy: await policyOf(now.canvas, env), until };
  };
}

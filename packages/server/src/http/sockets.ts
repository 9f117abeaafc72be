import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Turns } from "../async/event-loop-turns.ts";
import { ServerResponse as HttpResponse } from "./node-http.ts";
import { Refusal } from "./refusal.ts";

/** Returns the reason with which the signal of a request aborts. It is not sent, because the client has gone. */
const clientGone = (): Refusal =>
  new Refusal(400, { code: "INVALID_BODY", message: "The client closed the connection." });

/**
 * Returns a function that returns the signal of a request. The signal aborts, with a `Refusal` as its reason, if the connection closes
 * before the response has been sent. It is created at the first call, because few requests need it.
 */
export function clientSignal(request: IncomingMessage, response: ServerResponse): () => AbortSignal {
  // A destroyed request has no socket any more.
  const socket: Socket | null = request.socket;
  let controller: AbortController | undefined;
  return () => {
    if (controller !== undefined) return controller.signal;
    const created = new AbortController();
    controller = created;
    const abort = () => created.abort(clientGone());
    if (socket === null || socket.destroyed) abort();
    else {
      socket.once("close", abort);
      response.once("close", () => socket.off("close", abort));
    }
    return created.signal;
  };
}

/**
 * Spreads the requests of a burst over several turns of the event loop. Otherwise, one turn would start all requests that have arrived,
 * such as those of a thousand new connections (decision 065). Of each connection, only the last request waits: a pipelined request first
 * starts the one before it. So nobody lengthens the queue by sending requests on one connection, and the order of requests is kept.
 */
export function spreadRequests(server: Server, turns: Turns): void {
  const listeners = server.listeners("request") as RequestListener[];
  /** Maps a connection to the function that starts its waiting request. */
  const waiting = new WeakMap<Socket, () => void>();
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    const { socket } = request;
    waiting.get(socket)?.();
    const start = () => {
      if (waiting.get(socket) !== start) return;
      waiting.delete(socket);
      for (const listener of listeners) listener.call(server, request, response);
    };
    waiting.set(socket, start);
    turns.start(start);
  });
}

/** Time for which a peer may read nothing while data waits to be sent to it. */
export const STALL_TIMEOUT_MS = 60_000;

/** Interval between checks of the connections. */
const INTERVAL_MS = 5_000;
const MAX_STALLED_CHECKS = STALL_TIMEOUT_MS / INTERVAL_MS;

/**
 * What the last check of a connection found: the number of bytes written, the number of bytes that wait to be written, and the number of
 * consecutive checks at which the connection was stalled.
 */
interface Progress {
  written: number;
  waiting: number;
  stalledChecks: number;
}

/**
 * Destroys connections whose peer reads nothing for a minute while data waits to be sent. Only whole chunks count as progress, so a peer
 * that reads less than a few kilobytes a second counts as stalled.
 */
export function dropStalled(server: Server): void {
  const connections = new Map<Socket, Progress>();
  server.on("connection", (socket: Socket) => {
    connections.set(socket, { written: 0, waiting: 0, stalledChecks: 0 });
    socket.once("close", () => connections.delete(socket));
  });

  const timer = setInterval(() => {
    for (const [socket, progress] of connections) {
      const { bytesWritten: written, writableLength: waiting } = socket;
      const stalled = waiting > 0 && written === progress.written && waiting === progress.waiting;
      progress.written = written;
      progress.waiting = waiting;
      progress.stalledChecks = stalled ? progress.stalledChecks + 1 : 0;
      if (progress.stalledChecks >= MAX_STALLED_CHECKS) socket.destroy();
    }
  }, INTERVAL_MS);
  timer.unref();
  server.once("close", () => clearInterval(timer));
}

/** A request to upgrade its connection, for example to a WebSocket, that has no response yet. */
export interface PendingUpgrade {
  socket: Socket;
  /** The bytes received after the header of the request. */
  head: Buffer;
  /** Detaches the socket from its HTTP response and returns it. */
  takeSocket(): Socket;
}

/**
 * Passes upgrade requests to the router like any other request, so that a route can reject one with an HTTP response. Returns a function
 * that returns the pending upgrade of a request, or undefined if the request asks for no upgrade.
 */
export function routeUpgrades(server: Server): (request: IncomingMessage) => PendingUpgrade | undefined {
  const pending = new WeakMap<IncomingMessage, PendingUpgrade>();
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", destroy);
    const response = new HttpResponse(request);
    response.shouldKeepAlive = false;
    try {
      response.assignSocket(socket);
    } catch {
      // The response to an earlier request on the connection is not sent yet. No client sends an upgrade then.
      return void socket.destroy();
    }
    response.once("finish", () => socket.destroySoon());
    const takeSocket = () => {
      response.detachSocket(socket);
      return socket.off("error", destroy);
    };
    pending.set(request, { socket, head, takeSocket });
    server.emit("request", request, response);
  });
  return (request) => pending.get(request);
}

function destroy(this: Socket): void {
  this.destroy();
}

import type { RequestListener, Server } from "node:http";
import type { Socket } from "node:net";
import type { Turns } from "../async/event-loop-turns.ts";

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

import type { RequestListener, Server } from "node:http";
import type { Turns } from "../async/event-loop-turns.ts";

/**
 * Spreads the requests of a burst over several turns of the event loop. Otherwise, one turn would start all requests that have arrived,
 * such as those of a thousand new connections.
 */
export function spreadRequests(server: Server, turns: Turns): void {
  const listeners = server.listeners("request") as RequestListener[];
  server.removeAllListeners("request");
  server.on("request", (request, response) =>
    turns.start(() => {
      for (const listener of listeners) listener.call(server, request, response);
    }),
  );
}

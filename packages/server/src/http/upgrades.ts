import { type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

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
    const response = new ServerResponse(request);
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

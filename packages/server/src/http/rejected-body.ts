import type { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Readable } from "node:stream";

/** Time for which the rest of a rejected body is read and discarded, so that the client can read the response. */
export const LINGER_MS = 2_000;

/** Reads and discards the rest of a rejected body for at most `LINGER_MS`, and keeps the connection open meanwhile. */
export function linger(request: IncomingMessage, response: ServerResponse): void {
  // A destroyed request counts as over, because it has no socket any more.
  const isOver = () => request.complete || request.destroyed;
  if (isOver()) return;
  const { socket } = request;
  const close = () => Socket.prototype.destroySoon.call(socket);
  // Node calls `destroySoon` after a response with `Connection: close`. If the socket were closed then, data that arrives later would reset
  // the connection, and the client would lose the response.
  socket.destroySoon = () => void (isOver() ? close() : socket.end());
  response.once("finish", () => {
    if (isOver()) return;
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    request.once("close", () => {
      clearTimeout(timer);
      if (socket.writableEnded) close();
    });
    discard(request);
  });
}

/**
 * Reads and discards the rest of a body, one chunk in each turn of the event loop. Otherwise, one turn would read all that a fast client
 * has sent, which is megabytes for each connection.
 */
export function discard(body: Readable): void {
  body.on("data", () => {
    body.pause();
    setImmediate(() => body.resume());
  });
  body.resume();
}

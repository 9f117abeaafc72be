import type { Server } from "node:http";
import type { Socket } from "node:net";

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

import type { Server } from "node:http";
import type { Socket } from "node:net";

/** How long a peer may take nothing of what is written to its connection. */
export const STALL_TIMEOUT_MS = 60_000;

/** How often connections are looked at. */
const INTERVAL_MS = 5_000;
const MOST_LOOKS = STALL_TIMEOUT_MS / INTERVAL_MS;

/** The bytes written to a connection and waiting at the last look, and for how many looks they have not changed. */
interface Progress {
  written: number;
  waiting: number;
  looks: number;
}

/**
 * Destroys connections to which data waits to be sent while the peer takes nothing of it for a minute, whatever the response is.
 * Progress counts in chunks: a peer is cut off below a few kilobytes a second.
 */
export function dropStalled(server: Server): void {
  const connections = new Map<Socket, Progress>();
  server.on("connection", (socket: Socket) => {
    connections.set(socket, { written: 0, waiting: 0, looks: 0 });
    socket.once("close", () => connections.delete(socket));
  });

  const timer = setInterval(() => {
    for (const [socket, progress] of connections) {
      const { bytesWritten: written, writableLength: waiting } = socket;
      const stalled = waiting > 0 && written === progress.written && waiting === progress.waiting;
      progress.written = written;
      progress.waiting = waiting;
      progress.looks = stalled ? progress.looks + 1 : 0;
      if (progress.looks >= MOST_LOOKS) socket.destroy();
    }
  }, INTERVAL_MS);
  timer.unref();
  server.once("close", () => clearInterval(timer));
}

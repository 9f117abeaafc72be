import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { json } from "node:stream/consumers";
import { isMainThread } from "node:worker_threads";

/** The longest turns of a service since the last reading, and its memory after a garbage collection. */
export interface Reading {
  /** CPU time of the main thread in one iteration of its event loop, in milliseconds. */
  longestTurnMs: number;
  /** Memory in use by JavaScript objects and by buffers outside the heap, in bytes. */
  heldBytes: number;
}

const EVERY_MS = 5;

const socketPath = (pid: number) => path.join(tmpdir(), `easel-turns-${pid}.sock`);

/** The environment variables that load this file into a process of the service. */
export const PRELOAD = { NODE_OPTIONS: `--expose-gc --import ${import.meta.url}` };

/** Reads the figures of a service into which this file is loaded. Begins a new measurement. */
export const readTurns = async (pid: number): Promise<Reading> =>
  (await json(connect(socketPath(pid)))) as Reading;

/**
 * Measures the CPU time of the main thread between two calls of a timer. A timer that is due is called once in each iteration of the event
 * loop, so that a long turn is measured whole. Other processes on the machine do not change the figure.
 */
function listen(): void {
  let [longest, last] = [0, process.threadCpuUsage()];
  setInterval(() => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, now.user + now.system - last.user - last.system);
    last = now;
  }, EVERY_MS).unref();
  const server = createServer((socket) => {
    const longestTurnMs = longest / 1000;
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    socket.end(JSON.stringify({ longestTurnMs, heldBytes: heapUsed + external } satisfies Reading));
    // The collection of garbage is not a turn of the service.
    last = process.threadCpuUsage();
    longest = 0;
  });
  server.listen(socketPath(process.pid)).unref();
  process.once("exit", () => rmSync(socketPath(process.pid), { force: true }));
}

if (isMainThread && process.env.NODE_OPTIONS?.includes(import.meta.url)) listen();

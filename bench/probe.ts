import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { isMainThread } from "node:worker_threads";
import { type Memory, probePath } from "./memory.ts";

/**
 * Answers every connection with the memory figures of this process as JSON, after garbage collection. This file is preloaded into the
 * process of a server.
 */
function listen(path: string): void {
  const server = createServer((socket) => {
    globalThis.gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    const memory: Memory = { rss, heap: heapUsed + external };
    socket.end(JSON.stringify(memory));
  });
  server.listen(path).unref();
  process.once("exit", () => rmSync(path, { force: true }));
}

if (isMainThread) listen(probePath(process.pid));

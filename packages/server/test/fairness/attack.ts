import http from "node:http";
import net, { type Socket } from "node:net";
import type { Site } from "./site.ts";

/** A request of an attack. `readsBytes`: how much of the response the client reads before it stops; all by default. */
export interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  readsBytes?: number;
  /** The time after which the client closes the connection, in milliseconds. */
  abortAfterMs?: number;
}

/** What attacks use: the site, the signal that ends them, and requests in the name of the hostile person. */
export interface Hostile {
  site: Site;
  signal: AbortSignal;
  /** Sends a request. Returns the status, or 0 if no response came. Counts the outcome. */
  ask(sent: Sent): Promise<number>;
  /** Sends a request and returns the JSON of its response; null if it is not 2xx. */
  json(sent: Sent): Promise<Record<string, unknown> | null>;
  /** Opens a connection, sends these bytes and keeps it open without reading until the attack ends or the service closes it. */
  stall(head: string): Promise<void>;
}

/** One way in which a hostile member tries to stop or starve the others. */
export interface Attack {
  name: string;
  /** Attacks until `signal` aborts. */
  run(hostile: Hostile): Promise<void>;
}

/** Calls `work` repeatedly, `width` calls at a time, until the signal aborts. Rests briefly after a failure. */
export async function repeat(
  { signal }: Hostile,
  width: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (!signal.aborted) await work(next++);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** Creates the functions of an attack. `seen` counts the outcomes by status; 0 stands for a connection that failed. */
export function hostileOf(site: Site, signal: AbortSignal, seen: Map<number, number>): Hostile {
  const { hostname, port } = new URL(site.base);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 2_000 });
  signal.addEventListener("abort", () => agent.destroy());
  const count = (status: number) => {
    seen.set(status, (seen.get(status) ?? 0) + 1);
    return status;
  };

  function start(sent: Sent): Promise<{ status: number; body: Buffer }> {
    const { method, path, headers, body, readsBytes, abortAfterMs } = sent;
    return new Promise((resolve) => {
      const request = http.request({
        hostname,
        port,
        method,
        path,
        agent,
        headers: {
          cookie: site.hostile,
          ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
          ...headers,
        },
      });
      const end = () => request.destroy();
      signal.addEventListener("abort", end, { once: true });
      const timer = abortAfterMs === undefined ? undefined : setTimeout(end, abortAfterMs);
      let status = 0;
      const chunks: Buffer[] = [];
      request.on("response", (response) => {
        status = response.statusCode ?? 0;
        let left = readsBytes ?? Number.POSITIVE_INFINITY;
        response.on("data", (chunk: Buffer) => {
          if (readsBytes === undefined && chunks.length < 64) chunks.push(chunk);
          left -= chunk.length;
          if (left <= 0) response.pause();
        });
        response.on("error", () => {});
      });
      request.on("error", () => {});
      request.on("close", () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        if (!signal.aborted || status !== 0) count(status);
        resolve({ status, body: Buffer.concat(chunks) });
      });
      request.end(body);
    });
  }

  return {
    site,
    signal,
    ask: async (sent) => (await start(sent)).status,
    async json(sent) {
      const { status, body } = await start(sent);
      if (status < 200 || status > 299) return null;
      try {
        return JSON.parse(body.toString()) as Record<string, unknown>;
      } catch {
        return null;
      }
    },
    stall(head) {
      return new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const socket: Socket = net.connect({ host: "127.0.0.1", port: Number(port) }, () =>
          socket.write(head),
        );
        const end = () => socket.destroy();
        signal.addEventListener("abort", end, { once: true });
        socket.once("data", (chunk) =>
          count(Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString("latin1"))?.[1] ?? 0)),
        );
        socket.on("error", () => {});
        socket.once("close", () => {
          signal.removeEventListener("abort", end);
          resolve();
        });
      });
    },
  };
}

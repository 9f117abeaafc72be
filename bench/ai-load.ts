import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Options of this process, which reads them as JSON from its standard input. */
export interface StreamLoad {
  port: number;
  /** Complete HTTP/1.1 requests, one for each stream. */
  requests: string[];
  /**
   * The time in ms over which the starts of the streams are spread. Streams that start at the same moment would also send all their deltas
   * at the same moment.
   */
  overMs: number;
}

/** The figures that this process prints as JSON: times in milliseconds from sending a delta to receiving it. */
export interface StreamResult {
  deltas: number;
  p50: number;
  p99: number;
}

const load: StreamLoad = JSON.parse(readFileSync(0, "utf8"));
const latencies: number[] = [];
const now = () => performance.timeOrigin + performance.now();

/**
 * Sends one request and reads the streamed response to its end. The AI provider writes its send time into each delta, such as
 * `@1750000000000.000;`. For each send time in the response, adds the milliseconds that have passed since then to `latencies`.
 */
function stream(request: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port: load.port, noDelay: true });
    let rest = "";
    let begun = false;
    socket.setEncoding("latin1");
    socket.on("data", (part: string) => {
      const at = now();
      rest += part;
      if (!begun && !rest.startsWith("HTTP/1.1 200")) reject(new Error(rest.slice(0, 500)));
      begun = true;
      let read = 0;
      for (const found of rest.matchAll(/@(\d+\.\d+);/g)) {
        latencies.push(at - Number(found[1]));
        read = found.index + found[0].length;
      }
      const over = rest.endsWith("0\r\n\r\n");
      rest = rest.slice(Math.max(read, rest.length - 100));
      if (over) socket.end();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve());
    socket.write(request);
  });
}

const gap = load.overMs / load.requests.length;
const streams: Promise<void>[] = [];
for (const request of load.requests) {
  streams.push(stream(request));
  await sleep(gap);
}
await Promise.all(streams);
latencies.sort((a, b) => a - b);
const quantile = (part: number) => latencies[Math.floor(latencies.length * part)] ?? Number.NaN;
const result: StreamResult = { deltas: latencies.length, p50: quantile(0.5), p99: quantile(0.99) };
process.stdout.write(JSON.stringify(result));

import { json } from "node:stream/consumers";
import { LIMITS } from "@easel/protocol/limits";
import { Pool } from "undici";

/**
 * The requests to send. `warmUp` requests are sent first and not measured, then `requests` are measured. At most `parallel` are open at a
 * time. Each path is that of as many requests as a caller may send through a Connection in a minute.
 */
export interface CallLoad {
  origin: string;
  paths: string[];
  headers: Record<string, string>;
  parallel: number;
  warmUp: number;
  requests: number;
}

/** Latencies in ms. */
export interface CallResult {
  p50: number;
  p99: number;
}

/* Reads a `CallLoad` from standard input, sends it with undici over warm connections, and prints a `CallResult`. */
const { origin, paths, headers, parallel, warmUp, requests } = (await json(process.stdin)) as CallLoad;
const PER_PATH = LIMITS.connectionCallsPerMinute.value;
const pool = new Pool(origin, { connections: parallel, allowH2: false });

let sent = 0;
async function send(count: number): Promise<number[]> {
  const times: number[] = [];
  let left = count;
  const worker = async () => {
    while (left-- > 0) {
      const path = paths[Math.floor(sent++ / PER_PATH) % paths.length] ?? "";
      const start = performance.now();
      const { statusCode, body } = await pool.request({ method: "GET", path, headers });
      await body.bytes();
      times.push(performance.now() - start);
      if (statusCode !== 200) throw new Error(`The status is ${statusCode}.`);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return times.sort((one, other) => one - other);
}

await send(warmUp);
const times = await send(requests);
const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
const result: CallResult = { p50: at(0.5), p99: at(0.99) };
process.stdout.write(JSON.stringify(result));
await pool.destroy();

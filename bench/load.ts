import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { cpuTime, cpuTimeOfFamily } from "./cpu.ts";
import { isSuccess, isWhole } from "./response.ts";

/**
 * Options of the program in this file, which sends requests to a server and measures the latencies. It reads the options as JSON from its
 * standard input.
 */
export interface Load {
  port: number;
  /** Process id of the server, whose CPU time is measured after the warm-up. */
  pid: number;
  connections: number;
  warmUpMs: number;
  timedMs: number;
  /** Complete HTTP/1.1 requests. A connection that is free sends the next one of the list. After the last one, the list starts again. */
  requests: string[];
  /** A text of 16 characters. The first one in a request is replaced with a number that no other request has. */
  unique?: string;
  /** Pids of further processes, by name. Their CPU time, with that of their children, is measured, too. */
  others?: Record<string, number>;
}

/** The results, which the program prints as JSON. They cover the requests after the warm-up. Times are in microseconds. */
export interface LoadResult {
  responses: number;
  /** The number of responses whose status is not 2xx. */
  refused: number;
  perSecond: number;
  /** CPU time of the server per request, in microseconds; null if it cannot be read. */
  cpu: number | null;
  /** CPU time of the other processes per request, in microseconds, by name. */
  others: Record<string, number | null>;
  p50: number;
  p99: number;
}

const BUCKET_US = 5;
const BUCKETS = 200_000;

const load: Load = JSON.parse(readFileSync(0, "utf8"));
const requests = load.requests.map((request) => ({
  bytes: Buffer.from(request),
  uniqueAt: load.unique === undefined ? -1 : Buffer.from(request).indexOf(load.unique),
}));
const startUs = Date.now() * 1000;
const latencies = new Uint32Array(BUCKETS);
let next = 0;
let responses = 0;
let refused = 0;

/**
 * Returns the next request. Its text `unique` becomes the start time of this process in microseconds plus the number of requests before it,
 * so that no process of an earlier round has sent the same number.
 */
function nextRequest(): Buffer {
  const request = requests[next % requests.length];
  if (request === undefined) throw new Error("There is nothing to send.");
  const { bytes, uniqueAt } = request;
  const number = startUs + next++;
  if (uniqueAt < 0) return bytes;
  const copy = Buffer.from(bytes);
  copy.write(String(number), uniqueAt, "latin1");
  return copy;
}

/** Opens a connection that always has one request in flight. */
function drive(): void {
  let sent = 0;
  let begun: Buffer | undefined;

  const send = () => {
    const request = nextRequest();
    sent = performance.now();
    socket.write(request);
  };

  const read = (size: number, buffer: Uint8Array) => {
    const part = Buffer.from(buffer.buffer, buffer.byteOffset, size);
    const bytes = begun ? Buffer.concat([begun, part]) : part;
    if (!isWhole(bytes)) {
      begun = Buffer.from(bytes);
      return true;
    }
    begun = undefined;
    responses++;
    if (!isSuccess(bytes)) refused++;
    const bucket = Math.min(BUCKETS - 1, Math.floor(((performance.now() - sent) * 1000) / BUCKET_US));
    latencies[bucket] = (latencies[bucket] ?? 0) + 1;
    send();
    return true;
  };

  const onread = { buffer: Buffer.alloc(16 * 1024), callback: read };
  const socket = connect({ host: "127.0.0.1", port: load.port, noDelay: true, onread });
  socket.on("connect", send);
  socket.on("error", (error) => fail(error.message));
  socket.on("end", () => fail("The server closed a connection."));
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** Returns a quantile of the latencies, in microseconds; `part` is between 0 and 1. */
function quantile(part: number): number {
  let left = responses * part;
  const bucket = latencies.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  return (bucket + 1) * BUCKET_US;
}

const othersCpu = (): Record<string, number> =>
  Object.fromEntries(Object.entries(load.others ?? {}).map(([name, pid]) => [name, cpuTimeOfFamily(pid)]));

function startTiming(): void {
  latencies.fill(0);
  responses = 0;
  refused = 0;
  const serverBefore = cpuTime(load.pid);
  const othersBefore = othersCpu();
  const before = performance.now();
  setTimeout(() => {
    const ms = performance.now() - before;
    const othersAfter = othersCpu();
    const result: LoadResult = {
      responses,
      refused,
      perSecond: (responses / ms) * 1000,
      cpu: (cpuTime(load.pid) - serverBefore) / responses,
      others: Object.fromEntries(
        Object.entries(othersAfter).map(([name, after]) => [
          name,
          (after - (othersBefore[name] ?? Number.NaN)) / responses,
        ]),
      ),
      p50: quantile(0.5),
      p99: quantile(0.99),
    };
    process.stdout.write(JSON.stringify(result), () => process.exit());
  }, load.timedMs);
}

/**
 * Keeps this process busy, so that it never sleeps. A server spends CPU time on waking up a sleeping process to which it sends a response.
 * A slow server would find the process asleep more often, which would distort the comparison.
 */
function neverSleep(): void {
  setImmediate(neverSleep);
}

for (let index = 0; index < load.connections; index++) drive();
neverSleep();
setTimeout(startTiming, load.warmUpMs);

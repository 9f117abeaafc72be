import { setTimeout as sleep } from "node:timers/promises";
import type { StreamLoad, StreamResult } from "./ai-load.ts";
import { outputOf, pinned, type Server, startNode, startServer } from "./child.ts";
import { apply } from "./compare.ts";
import { cpuTime } from "./cpu.ts";
import { startEasel } from "./easel.ts";
import { kvCases } from "./kv.ts";
import { type Memory, memoryOf, probed } from "./memory.ts";
import { openPage, type Page } from "./page.ts";
import { figure, median, type Table } from "./table.ts";

const STREAMS = 200;
const DELTAS = 200;
const EVERY_MS = 50;
/** The time within which all streams of a round begin, in ms. The starts of the streams are spread over this time. */
const OVER_MS = 1000;
const ROUNDS = 3;

const PROMPT = { model: "bench", messages: [{ role: "user", content: "How long does tea take?" }] };

/** The measurements of one round. */
interface Round {
  direct: StreamResult;
  through: StreamResult;
  /** CPU time of the service for each delta, in microseconds. */
  cpu: number;
  /**
   * The rate of KV reads while AI streams pass through the service, divided by the rate of KV reads while the same streams come directly
   * from the provider. It is below 1 if the streams slow down the reads.
   */
  reads: number;
}

/**
 * Compares AI responses that are streamed through the service with AI responses that come directly from the same provider. Also compares
 * the rates of KV reads during both.
 */
export async function ai(): Promise<Table> {
  const upstream = await startServer(1, "bench/ai-upstream.ts", [String(DELTAS), String(EVERY_MS)]);
  const easel = await probed(() =>
    startEasel(0, {
      SERVICE_AI_PROVIDER: "openai",
      SERVICE_AI_API_KEY: "key",
      SERVICE_AI_BASE_URL: upstream.url,
      SERVICE_AI_MODELS: PROMPT.model,
      SERVICE_AI_PRICES: JSON.stringify({ bench: { input: 1, output: 1, cacheWrite: 1, cacheRead: 1 } }),
    }),
  );
  try {
    // A person can have at most a hundred large responses at a time.
    const pages = await Promise.all(
      ["ada", "ben", "cleo"].map((name) => openPage(easel.url, null, `${name}@example.com`)),
    );
    const { cases } = await kvCases(pages[0] as Page);
    const reads = () =>
      apply({
        port: easel.port,
        pid: easel.pid,
        connections: 64,
        warmUpMs: 200,
        timedMs: 3000,
        requests: cases[0].requests,
      });
    const rounds: Round[] = [];
    const idle = await memoryOf(easel);
    await streams(easel, requestsOf(pages));
    for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(upstream, easel, pages, reads));
    return tableOf(rounds, await memoryOfStream(idle, easel, pages));
  } finally {
    await easel.stop();
    await upstream.stop();
  }
}

const requestsOf = (pages: Page[]): string[] =>
  Array.from({ length: STREAMS }, (_, index) =>
    (pages[index % pages.length] as Page).request("POST", "/ai/chat", JSON.stringify(PROMPT)),
  );

const directRequests = (): string[] => Array<string>(STREAMS).fill(DIRECT);

const DIRECT = `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}`;

/** Starts a child process that sends the requests and reads each streamed response to its end. Returns what the child process measured. */
async function streams({ port }: Server, requests: string[]): Promise<StreamResult> {
  const child = startNode(1, "bench/ai-load.ts", []);
  const load: StreamLoad = { port, requests, overMs: OVER_MS };
  child.stdin.end(JSON.stringify(load));
  const result: StreamResult = JSON.parse(await outputOf(child));
  if (result.deltas !== STREAMS * DELTAS) throw new Error(`${result.deltas} deltas arrived.`);
  return result;
}

async function measure(
  upstream: Server,
  easel: Server,
  pages: Page[],
  reads: () => ReturnType<typeof apply>,
): Promise<Round> {
  const direct = await streams(upstream, directRequests());
  const before = cpuTime(easel.pid);
  const through = await streams(easel, requestsOf(pages));
  const cpu = (cpuTime(easel.pid) - before) / through.deltas;

  const alone = await whileOpen(() => streams(upstream, directRequests()), reads);
  const among = await whileOpen(() => streams(easel, requestsOf(pages)), reads);
  return { direct, through, cpu, reads: among.perSecond / alone.perSecond };
}

/**
 * Returns how much memory the service takes for each open stream, in bytes, compared with `idle`, its memory before the first stream. Comes
 * after the rounds, because the garbage collections also discard compiled code.
 */
async function memoryOfStream(idle: Memory, easel: Server, pages: Page[]): Promise<Memory> {
  const busy = await whileOpen(
    () => streams(easel, requestsOf(pages)),
    () => memoryOf(easel),
  );
  return { rss: (busy.rss - idle.rss) / STREAMS, heap: (busy.heap - idle.heap) / STREAMS };
}

/** Opens streams with `begin`. Calls `act` when all of them are open. Waits for their ends, and then returns the result of `act`. */
async function whileOpen<Result>(begin: () => Promise<unknown>, act: () => Promise<Result>): Promise<Result> {
  const streaming = begin();
  await sleep(2 * OVER_MS);
  const result = await act();
  await streaming;
  return result;
}

function tableOf(rounds: Round[], { rss, heap }: Memory): Table {
  const of = (read: (round: Round) => number, decimals: number) => figure(median(rounds.map(read)), decimals);
  return {
    title: `ai: ${STREAMS} parallel streams of ${DELTAS} deltas, one every ${EVERY_MS} ms`,
    conditions: [
      `Medians of ${ROUNDS} rounds, after a discarded one.`,
      pinned
        ? "Service on core 0; provider, readers and the load of KV on core 1."
        : "NOT PINNED: expect noise.",
      `Node ${process.version}.`,
    ].join(" "),
    columns: ["", "direct", "this", "added", "target"],
    rows: [
      [
        "p50 of a delta, ms",
        of(({ direct }) => direct.p50, 2),
        of(({ through }) => through.p50, 2),
        of(({ direct, through }) => through.p50 - direct.p50, 2),
        "",
      ],
      [
        "p99 of a delta, ms",
        of(({ direct }) => direct.p99, 2),
        of(({ through }) => through.p99, 2),
        of(({ direct, through }) => through.p99 - direct.p99, 2),
        "< 15.00",
      ],
      ["service CPU µs/delta", "", of(({ cpu }) => cpu, 1), "", ""],
      ["KiB of RSS/stream", "", figure(rss / 1024), "", ""],
      ["KiB of heap/stream", "", figure(heap / 1024), "", ""],
      ["KV GET beside, of beside direct streams", "", of(({ reads }) => reads, 2), "", ">= 0.80"],
    ],
  };
}

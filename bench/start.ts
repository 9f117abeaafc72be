import { get } from "node:http";
import { type Server, startServer } from "./child.ts";
import { startEasel } from "./easel.ts";
import { figure, median, type Table } from "./table.ts";

const RUNS = 9;
const TARGET_MS = 300;

/**
 * Measures the time from the start of a process to its first HTTP response, for Easel with an empty data directory and for a bare HTTP
 * server. The table compares both.
 */
export async function start(): Promise<Table> {
  const bareTimes: number[] = [];
  const easelTimes: number[] = [];
  for (let run = 0; run <= RUNS; run++) {
    bareTimes.push(await timeToAnswer(() => startServer("any", "bench/bare.ts", ["{}"]), "/"));
    easelTimes.push(await timeToAnswer(() => startEasel("any"), "/healthz"));
  }
  const kept = { bare: bareTimes.slice(1), easel: easelTimes.slice(1) };
  const ratio = median(kept.easel.map((time, index) => time / (kept.bare[index] ?? Number.NaN)));
  const row = (name: string, pick: (times: number[]) => number) => [
    name,
    figure(pick(kept.bare)),
    figure(pick(kept.easel)),
  ];
  return {
    title: "start: from process start to the first response",
    conditions: `${RUNS} alternating runs on an empty data directory, where the examples are deployed after the start; one run before them fills the compile cache. Node ${process.version}.`,
    columns: ["", "bare", "this", "ratio", "target"],
    rows: [
      [...row("median ms", median), figure(ratio, 2), `< ${TARGET_MS} ms`],
      row("fastest ms", (times) => Math.min(...times)),
      row("slowest ms", (times) => Math.max(...times)),
    ],
  };
}

async function timeToAnswer(begin: () => Promise<Server>, path: string): Promise<number> {
  const before = performance.now();
  const server = await begin();
  try {
    const status = await statusOf(server, path);
    const time = performance.now() - before;
    if (status !== 200) throw new Error(`${path} responded with ${status}.`);
    return time;
  } finally {
    await server.stop();
  }
}

function statusOf({ port }: Server, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, agent: false, headers: { host: `localhost:${port}` } };
    get(options, (response) => {
      response.resume().once("end", () => resolve(response.statusCode));
    }).once("error", reject);
  });
}

import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Server, startServer } from "./child.ts";
import { cpuTimeOfFamily } from "./cpu.ts";
import { startEasel } from "./easel.ts";
import { figure, median, type Table } from "./table.ts";

const RUNS = 9;
const TARGET_MS = 300;
const TARGET_OF_BUNDLE = 0.75;
/** The time after the first response in which the service still loads modules, and deploys the examples. */
const SETTLED_MS = 4_000;
const BUNDLE = "packages/server/dist/easel-server.js";

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

/**
 * Builds the bundle of the service, and compares the CPU time of its start with that of the sources: until the first response, and four
 * seconds later, by when the examples are deployed. The same for a start on the data that is there then.
 */
export async function startOfBundle(): Promise<Table> {
  execFileSync(process.execPath, [join(import.meta.dirname, "../packages/server/build.ts")], {
    stdio: "inherit",
  });
  const programs = { source: undefined, bundle: BUNDLE };
  const kept: Record<keyof typeof programs, Cpu[]> = { source: [], bundle: [] };
  for (let run = 0; run <= RUNS; run++)
    for (const [name, program] of Object.entries(programs)) {
      const times = await cpuOfStart(program);
      if (run > 0) kept[name as keyof typeof programs].push(times);
    }
  const row = (name: string, which: keyof Cpu) => {
    const [source, bundle] = [kept.source, kept.bundle].map((times) =>
      times.map((each) => each[which] / 1000),
    );
    const ratio = median((bundle ?? []).map((time, at) => time / (source?.[at] ?? Number.NaN)));
    return [name, figure(median(source ?? [])), figure(median(bundle ?? [])), figure(ratio, 2)];
  };
  return {
    title: "start: CPU time of the bundle",
    conditions: `${RUNS} alternating runs on an empty data directory, and on the same one again; one run before them fills the compile caches. Node ${process.version}.`,
    columns: ["CPU ms", "source", "bundle", "ratio", "target"],
    rows: [
      row("new data: until the first response", "first"),
      [...row("new data: four seconds later", "settled"), `< ${TARGET_OF_BUNDLE}`],
      row("restart: until the first response", "again"),
      row("restart: four seconds later", "settledAgain"),
    ],
  };
}

/** The CPU time of two starts on the same data, in microseconds: until the first response, and some seconds later. */
type Cpu = Record<"first" | "settled" | "again" | "settledAgain", number>;

async function cpuOfStart(program: string | undefined): Promise<Cpu> {
  const dataDir = await mkdtemp(join(tmpdir(), "easel-bench-"));
  const measure = async () => {
    const server = await startEasel("any", { SERVICE_DATA_DIR: dataDir }, program);
    try {
      await statusOf(server, "/healthz");
      const ready = cpuTimeOfFamily(server.pid);
      await sleep(SETTLED_MS);
      return [ready, cpuTimeOfFamily(server.pid)] as const;
    } finally {
      await server.stop();
    }
  };
  try {
    const [first, settled] = await measure();
    const [again, settledAgain] = await measure();
    return { first, settled, again, settledAgain };
  } finally {
    await rm(dataDir, { recursive: true });
  }
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

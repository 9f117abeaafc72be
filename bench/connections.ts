import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LIMITS } from "@easel/protocol/limits";
import { outputOf, pinned, type Server, startNode, startServer } from "./child.ts";
import type { CallLoad, CallResult } from "./connection-load.ts";
import { cpuTime } from "./cpu.ts";
import { startEasel } from "./easel.ts";
import { grantProfile, openPage, type Page } from "./page.ts";
import { figure, median, type Table } from "./table.ts";

const ROUNDS = 5;
const REQUESTS = 2_000;
const WARM_UP = 300;
/** The number of profiles that the calls of a measurement need, because a caller may send so many calls a minute through each. */
const PROFILES = Math.ceil((REQUESTS + WARM_UP) / LIMITS.connectionCallsPerMinute.value);

/** The cases that are measured: the size of the response in bytes, and the number of calls at a time. A canvas can have at most five. */
const CASES = [
  { name: "1 KiB", bytes: 1024, parallel: 1 },
  { name: "1 KiB, 5 at a time", bytes: 1024, parallel: 5 },
  { name: "256 KiB", bytes: 256 * 1024, parallel: 1 },
];

/** The measurements of one round. `cpu` is the CPU time of the service for each call, in microseconds. */
interface Round {
  direct: CallResult;
  through: CallResult;
  cpu: number;
}

/** Compares calls through a Connection with calls directly to the same upstream, both over warm connections. */
export async function connections(): Promise<Table> {
  const directory = await mkdtemp(join(tmpdir(), "easel-bench-ca-"));
  const ca = join(directory, "ca.pem");
  const upstream = await startServer(1, "bench/connection-upstream.ts", [ca]);
  const easel = await startEasel(0, {
    NODE_EXTRA_CA_CERTS: ca,
    SERVICE_CONNECTIONS_PRIVATE_CIDRS: "127.0.0.0/8,::1",
  });
  try {
    const page = await openPage(easel.url);
    const rows: string[][] = [];
    for (const { name, bytes, parallel } of CASES) {
      const rounds: Round[] = [];
      for (let round = 0; round <= ROUNDS; round++)
        rounds.push(await measure({ easel, upstream, page, ca }, `/${bytes}`, parallel));
      rows.push(rowOf(name, rounds.slice(1)));
    }
    return {
      title: "connections: calls of an external API over TLS",
      conditions: [
        `Medians of ${ROUNDS} rounds of ${REQUESTS} calls, after a discarded one; warm connections.`,
        pinned ? "Service on core 0; upstream and callers on core 1." : "NOT PINNED: expect noise.",
        `Node ${process.version}.`,
      ].join(" "),
      columns: ["", "direct p50 ms", "this", "added", "target", "added p99", "service CPU µs/call"],
      rows,
    };
  } finally {
    await easel.stop();
    await upstream.stop();
    await rm(directory, { recursive: true });
  }
}

interface Parts {
  easel: Server;
  upstream: Server;
  page: Page;
  ca: string;
}

async function measure({ easel, upstream, page, ca }: Parts, path: string, parallel: number): Promise<Round> {
  const common = { parallel, warmUp: WARM_UP, requests: REQUESTS };
  const direct = await load({ origin: upstream.url, paths: [path], headers: {}, ...common }, ca);
  const profiles = Array.from({ length: PROFILES }, () => `p-${randomUUID()}`);
  for (const profile of profiles) await grantProfile(easel.url, page, profile, upstream.url);
  const before = cpuTime(easel.pid);
  const targets = profiles.map((profile) => page.target(`/connections/${profile}${path}`));
  const [{ headers } = assert.fail()] = targets;
  const paths = targets.map((target) => target.path);
  const through = await load({ origin: easel.url, paths, headers, ...common }, ca);
  return { direct, through, cpu: (cpuTime(easel.pid) - before) / (WARM_UP + REQUESTS) };
}

/**
 * Runs `bench/connection-load.ts` in a new process and returns the latencies that it measures. The process also trusts the certificate
 * authority in the PEM file `ca`.
 */
async function load(calls: CallLoad, ca: string): Promise<CallResult> {
  const child = startNode(1, "bench/connection-load.ts", [], { NODE_EXTRA_CA_CERTS: ca });
  child.stdin.end(JSON.stringify(calls));
  return JSON.parse(await outputOf(child));
}

function rowOf(name: string, rounds: Round[]): string[] {
  const of = (read: (round: Round) => number, decimals: number) => figure(median(rounds.map(read)), decimals);
  return [
    name,
    of(({ direct }) => direct.p50, 2),
    of(({ through }) => through.p50, 2),
    of(({ direct, through }) => through.p50 - direct.p50, 2),
    name === "1 KiB" ? "< 1.00" : "",
    of(({ direct, through }) => through.p99 - direct.p99, 2),
    of(({ cpu }) => cpu, 0),
  ];
}

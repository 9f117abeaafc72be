import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { asking, type Reply } from "@easel/conformance/connections/reply";
import { until } from "@easel/conformance/patience";
import { devTarget } from "@easel/conformance/target";
import { times } from "../drivers/databases.ts";
import { freshProfile } from "../organisation/connection-stores.ts";
import {
  type Connected,
  connected,
  FIVE_CALLERS,
  grant,
  putProfile,
} from "../primitives/connections/connected.ts";
import { startProcess } from "../support/process.ts";
import { temporaryDirectory } from "../support/service.ts";
import { startUpstream } from "../support/upstream.ts";

const LOAD_MS = 10_000;
const WORKERS = 30;
/** The number of canvases. With five places each, they can take all 50 places of the process. */
const CANVASES = 10;
/** The number of profiles that the calls are spread over, because each caller may send 60 calls a minute through one. */
const PROFILES = 40;
const MOST_BYTES = 250_000_000;
const KIB = "x".repeat(1024);

/** The kinds of calls, with the statuses that each may get. `abortAfterMs`: the client aborts after a random time below this. */
const KINDS: { reply: Reply; abortAfterMs?: number; statuses: number[] }[] = [
  { reply: {}, statuses: [200] },
  { reply: { delayMs: 30 }, statuses: [200] },
  { reply: { body: KIB, times: 1_500 }, statuses: [200] },
  { reply: { body: KIB, times: 3_000 }, statuses: [502] },
  { reply: { body: KIB, times: 500, cut: true }, statuses: [502] },
  { reply: { status: 500, body: "failed" }, statuses: [500] },
  { reply: { headers: { "content-encoding": "gzip" } }, statuses: [403] },
  { reply: { status: 302, headers: { location: "/log" } }, statuses: [200] },
  { reply: { delayMs: 100 }, abortAfterMs: 100, statuses: [200] },
  { reply: { hang: true }, abortAfterMs: 200, statuses: [] },
  { reply: { body: KIB, stall: true }, abortAfterMs: 200, statuses: [] },
  { reply: { body: KIB, times: 1_500 }, abortAfterMs: 30, statuses: [200] },
];

const openFiles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;
const memoryOf = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;

test(`after ${LOAD_MS / 1000} s of calls that succeed, fail and are aborted, everything is free`, {
  skip: process.platform !== "linux" && "reads /proc",
  timeout: 180_000,
}, async (t) => {
  const directory = await temporaryDirectory(t);
  const upstream = await startUpstream(t);
  const service = await startProcess(t, path.join(directory, "data"), {
    SERVICE_CONNECTIONS_PRIVATE_CIDRS: "127.0.0.0/8,::1",
    SERVICE_LOG_LEVEL: "error",
    NODE_EXTRA_CA_CERTS: upstream.ca,
  });
  const target = devTarget(service.base, "path");
  const canvases = await times(CANVASES, () => connected(target));
  for (const { profile } of canvases) await putProfile(target, profile, { origin: upstream.origin });
  const profiles = Array.from({ length: PROFILES }, freshProfile);
  for (const profile of profiles) {
    await putProfile(target, profile, { origin: upstream.origin });
    await Promise.all(canvases.map(({ id }) => grant(target, { id, profile })));
  }

  const call = (
    { slug, profile, people }: Connected,
    reply: Reply,
    signal?: AbortSignal,
    who: (typeof FIVE_CALLERS)[number] = "viewer",
  ) =>
    fetch(`${service.base}/v1/c/${slug}/connections/${profile}/x?${asking(reply)}`, {
      // Closes the connection, so that none of a client counts as open.
      headers: { ...Object.fromEntries(people[who].headers), connection: "close" },
      ...(signal && { signal }),
    });
  const anyCanvas = () => ({
    ...(canvases[randomInt(CANVASES)] ?? assert.fail()),
    profile: profiles[randomInt(PROFILES)] ?? assert.fail(),
  });
  await (await call(anyCanvas(), {})).text();
  await sleep(1_000);
  const [filesBefore, memoryBefore] = [openFiles(service.pid), memoryOf(service.pid)];

  const seen = new Map<string, number>();
  let most = 0;
  const end = Date.now() + LOAD_MS;
  await times(WORKERS, async () => {
    while (Date.now() < end) {
      const { reply, abortAfterMs, statuses } = KINDS[randomInt(KINDS.length)] ?? assert.fail();
      const abort = new AbortController();
      const timer = abortAfterMs && setTimeout(() => abort.abort(), randomInt(abortAfterMs));
      const outcome = await call(anyCanvas(), reply, abort.signal).then(
        async (response) => {
          await response.arrayBuffer().catch((error) => assert.ok(abort.signal.aborted, String(error)));
          return response.status;
        },
        (error) => {
          assert.ok(abort.signal.aborted, String(error));
          return "aborted" as const;
        },
      );
      clearTimeout(timer);
      if (outcome !== "aborted" && outcome !== 429)
        assert.ok(statuses.includes(outcome), `${JSON.stringify(reply).slice(0, 100)}: ${outcome}`);
      seen.set(String(outcome), (seen.get(String(outcome)) ?? 0) + 1);
      most = Math.max(most, memoryOf(service.pid));
    }
  });
  t.diagnostic(JSON.stringify(Object.fromEntries(seen)));
  for (const outcome of ["200", "403", "500", "502", "aborted"]) assert.ok(seen.has(outcome), outcome);

  await until("all places are free", async () => {
    const all = canvases.flatMap((canvas) =>
      FIVE_CALLERS.map((who) => call(canvas, { delayMs: 1_000 }, undefined, who)),
    );
    const statuses = (await Promise.all(all)).map(async (response) => {
      await response.arrayBuffer();
      return response.status;
    });
    return (await Promise.all(statuses)).every((status) => status === 200);
  });
  await until("all files and connections are closed", async () => {
    await sleep(200);
    return openFiles(service.pid) <= filesBefore;
  });
  t.diagnostic(`${Math.round((most - memoryBefore) / 1e6)} MB more at most`);
  assert.ok(most - memoryBefore < MOST_BYTES);
  assert.equal(await service.end("SIGTERM"), 0);
});

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@easel/conformance/patience";
import { LIMITS } from "@easel/protocol/limits";
import { readConfig } from "../../src/config/config.ts";
import { type Sql, sql } from "../../src/drivers/db/db.ts";
import { openDb } from "../../src/drivers/index.ts";
import { ATTACKS } from "../fairness/attacks.ts";
import { openFairness } from "../fairness/open.ts";
import { readTurns } from "../fairness/turns.ts";
import { p99, type Times, work } from "../fairness/victim.ts";
import { atEnd } from "../support/service.ts";
import { recount } from "../support/stored-bytes.ts";

/** The time for which all attacks run. An hour is the time after which a slow leak shows. */
const MINUTES = Number(process.env.SOAK_MINUTES ?? 2);
const SLICE_MS = 30_000;
/** The memory and the open files that a service may keep after its caches and pools have filled. */
const MOST_HELD_BYTES = 96 * 1024 * 1024;
const MOST_MORE_FILES = 20;
/** What the blob store may take besides the contents that are counted, such as uploads that were broken off. */
const MOST_UNCOUNTED_BYTES = 64 * 1024 * 1024;
const DEFAULT_CANVASES = 200;
/** The codes of devices that wait for people of one network. */
const MOST_DEVICES = 100;

const openFiles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

async function bytesIn(directory: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    bytes += await stat(path.join(entry.parentPath, entry.name)).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return bytes;
}

/** Returns the rows that one person or canvas may have at most at a time, each with the statement that finds the largest number. */
const ceilingsAt = (now: number): [what: string, most: number, sql: Sql][] => [
  [
    "tokens of a person",
    LIMITS.tokensPerPerson.value,
    sql`select max(n) as n from (select count(*) as n from tokens group by user_id) as each_one`,
  ],
  [
    "invitations of a canvas",
    LIMITS.invitesPerCanvas.value,
    sql`select max(n) as n from (select count(*) as n from invites group by canvas_id) as each_one`,
  ],
  [
    "deleted canvases of a person",
    LIMITS.deletedCanvases.value + DEFAULT_CANVASES,
    sql`select max(n) as n from (select count(deleted_at) as n from canvases group by owner_id) as each_one`,
  ],
  [
    "open staged deploys of a canvas",
    LIMITS.stagedDeploys.value,
    sql`select max(n) as n from (select count(*) as n from staged_deploys where version_id is null and expires_at > ${now} group by canvas_id) as each_one`,
  ],
  [
    "logged calls of a canvas",
    LIMITS.loggedCalls.value + LIMITS.loggedOutsiderCalls.value + LIMITS.loggedPageErrors.value,
    sql`select max(n) as n from (select count(*) as n from call_log group by canvas_id) as each_one`,
  ],
  [
    "codes of devices that wait",
    MOST_DEVICES,
    sql`select count(*) as n from oauth_codes where user_code is not null and expires_at > ${now}`,
  ],
];

test(`${MINUTES} min of all attacks at once leave no more than the limits allow`, {
  skip: process.platform !== "linux" && "reads /proc",
  timeout: MINUTES * 60_000 + 300_000,
}, async (t) => {
  const { service, directory, populate, attack } = await openFairness(t);
  const site = await populate();
  const names = ATTACKS.map(({ name }) => name);
  // Fills caches and pools, which stay.
  const rehearse = attack(site, names);
  await sleep(10_000);
  await rehearse();
  await sleep(10_000);
  const before = { files: openFiles(service.pid), held: (await readTurns(service.pid)).heldBytes };

  const stop = attack(site, names);
  const times: Times = { page: [], write: [], deploy: [], "sign-in": [] };
  let longest = 0;
  for (let left = MINUTES * 60_000; left > 0; left -= SLICE_MS) {
    const slice = await work(site, Math.min(left, SLICE_MS));
    for (const [name, some] of Object.entries(slice)) times[name as keyof Times].push(...some);
    longest = Math.max(longest, (await readTurns(service.pid)).longestTurnMs);
  }
  t.diagnostic(JSON.stringify(await stop()));
  const figures = Object.entries(times).map(([name, some]) => `${name} ${Math.round(p99(some))}`);
  t.diagnostic(`p99 in ms: ${figures.join(", ")}; longest turn ${Math.round(longest)} ms`);

  await until("the service closes the files and connections of the attacks", async () => {
    await sleep(500);
    return openFiles(service.pid) <= before.files + MOST_MORE_FILES;
  });
  const { heldBytes } = await readTurns(service.pid);
  t.diagnostic(`memory ${Math.round(before.held / 1e6)} MB before, ${Math.round(heldBytes / 1e6)} MB after`);
  assert.ok(heldBytes < before.held + MOST_HELD_BYTES);

  assert.equal(await service.end("SIGTERM"), 0);
  const db = await openDb(readConfig({ SERVICE_DATA_DIR: directory }), assert.ifError);
  atEnd(t, () => db.close());
  const exceeded: string[] = [];
  for (const [what, most, statement] of ceilingsAt(Date.now())) {
    const n = Number((await db.get<{ n: number }>(...statement))?.n ?? 0);
    t.diagnostic(`${what}: ${n} of ${most}`);
    if (n > most) exceeded.push(what);
  }

  let counted = 0;
  for (const { id, bytes } of await db.all<{ id: string; bytes: number }>`
    select canvas_id as id, bytes from bundle_bytes`) {
    if (Number(bytes) !== (await recount(id, { db }))) exceeded.push(`the bytes counted for canvas ${id}`);
    counted += Number(bytes);
  }
  const files = await db.get<{ bytes: number }>`select sum(bytes + removed) as bytes from file_bytes`;
  counted += Number(files?.bytes ?? 0);
  const [stored, all] = [await bytesIn(path.join(directory, "blobs")), await bytesIn(directory)];
  const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  t.diagnostic(`on disk ${mb(all)}, of it blobs ${mb(stored)}; the quotas count ${mb(counted)}`);
  assert.ok(stored <= counted + MOST_UNCOUNTED_BYTES, "the quotas count what the blobs take");
  assert.deepEqual(exceeded, []);
});

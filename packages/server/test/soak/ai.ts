import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { play, type Step } from "@easel/conformance/ai/script";
import { stage } from "@easel/conformance/fixture";
import { parallel } from "@easel/conformance/parallel";
import { until } from "@easel/conformance/patience";
import { devTarget } from "@easel/conformance/target";
import { readConfig } from "../../src/config/config.ts";
import type { Db } from "../../src/drivers/db/db.ts";
import { openDb } from "../../src/drivers/index.ts";
import { toUsd } from "../../src/organisation/ai/prices.ts";
import type { Outcome } from "../../src/organisation/ai/reservations.ts";
import { spendRows } from "../../src/organisation/ai/spend-caps.ts";
import { chat, type Received } from "../support/ai-chat.ts";
import { type AiProvider, startAiProvider } from "../support/ai-provider.ts";
import { killAmid, startProcess } from "../support/process.ts";
import { atEnd, ENGINES, type Scope, temporaryDirectory } from "../support/service.ts";

const REQUESTS = 500;
const KILLS = 5;
const WORKERS = 16;

/** The ways in which a request can go. `abortAfterMs` is the greatest time after which the client aborts. */
const KINDS: { steps: Step[]; model?: string; maxTokens?: number; abortAfterMs?: number }[] = [
  { steps: [{ text: "short" }, { end: {} }] },
  { steps: [{ think: "hm" }, { text: "a", times: 20, everyMs: 3 }, { end: {} }] },
  { steps: [{ wait: 40 }, { text: "late" }, { end: null }] },
  { steps: [{ status: 401 }] },
  { steps: [{ status: 429 }] },
  { steps: [{ status: 500 }] },
  { steps: [{ text: "a", times: 3 }, { error: "overloaded" }] },
  { steps: [{ text: "a", times: 3 }, { cut: true }] },
  { steps: [{ text: "a", times: 3 }] },
  { steps: [{ text: "a" }, { raw: "data: garbage\n\n" }] },
  { steps: [{ wait: 20 }, { text: "a", times: 100, everyMs: 5 }, { end: {} }], abortAfterMs: 80 },
  { steps: [{ hang: true }], abortAfterMs: 40 },
  { steps: [{ end: {} }], model: "no-such-model" },
  { steps: [{ end: {} }], maxTokens: 0 },
];

/** A request that a client has sent. Each has a person of its own, by whose id its rows are found. */
interface Sent extends Received {
  email: string;
  mark: string;
  aborted: boolean;
  last: Received["events"][number] | undefined;
}

interface Row {
  state: Outcome | "open";
  cost: number;
  lease: string | null;
  user_id: string;
  canvas_id: string;
  started_at: number;
  email: string;
}

const rowsIn = async (db: Db): Promise<Row[]> => {
  const rows = await db.all<Row>`
    select state, cost, lease, user_id, canvas_id, started_at, email
    from ai_requests join users on users.id = user_id`;
  return rows.map((row) => ({ ...row, cost: Number(row.cost), started_at: Number(row.started_at) }));
};

/** Signs in a new person and sends one request. Returns null if the service was killed before. */
async function sendOne(base: string, slug: string, index: number): Promise<Sent | null> {
  const kind = KINDS[index % KINDS.length] ?? assert.fail();
  const [mark, email] = [`soak-${index}`, `soak-${index}@example.com`];
  const person = await devTarget(base, "path")
    .signIn(email)
    .catch((error) => {
      if (error instanceof assert.AssertionError) throw error;
      return null;
    });
  if (person === null) return null;
  const abort = new AbortController();
  const { abortAfterMs, steps, model = "m", maxTokens = 200 } = kind;
  const timer =
    abortAfterMs === undefined ? undefined : setTimeout(() => abort.abort(), randomInt(abortAfterMs));
  const received = await chat({
    canvas: `${base}/v1/c/${slug}`,
    headers: Object.fromEntries(person.headers),
    body: { model, maxTokens, messages: [{ role: "user", content: play(steps, mark) }] },
    signal: abort.signal,
  });
  clearTimeout(timer);
  return { ...received, email, mark, aborted: abort.signal.aborted, last: received.events.at(-1) };
}

/** Requires that the rows of a request are those that its client and the provider have seen. */
async function requireOneRow(sent: Sent, rows: Row[], provider: AiProvider): Promise<void> {
  const asked = (await provider.log(sent.mark)).length;
  const own = rows.filter(({ email }) => email === sent.email);
  const [row] = own;
  const about = JSON.stringify({ sent, asked, own });
  assert.ok(own.length <= 1 && asked <= 1, about);
  if (sent.status === 200 || asked > 0) assert.equal(own.length, 1, about);
  if (sent.status !== null && sent.status !== 200) assert.deepEqual([own.length, asked], [0, 0], about);
  if (row === undefined) return;
  assert.ok(row.state !== "open" && row.lease === null, about);
  const { last } = sent;
  if (last?.type === "done") assert.deepEqual([row.state, toUsd(row.cost)], ["done", last.cost], about);
  else if (last?.type === "error") assert.equal(row.state, "failed", about);
  else assert.ok(sent.broken, about);
  if (row.state === "lost") assert.ok(sent.broken && row.cost > 0, about);
  if (row.state === "aborted") assert.ok(sent.broken, about);
}

/** Requires that the sums under the caps are those of the requests, and nothing is reserved. */
async function requireSums(rows: Row[], db: Db): Promise<void> {
  const expected = new Map<string, number>();
  for (const { user_id: userId, canvas_id: canvasId, started_at: startedAt, cost } of rows)
    for (const { scope, subject, period } of spendRows({
      userId,
      canvasId,
      startedAt,
      guest: false,
      invitedBy: null,
    })) {
      const key = `${scope} ${subject} ${period}`;
      expected.set(key, (expected.get(key) ?? 0) + cost);
    }
  const sums = await db.all<{ scope: string; subject: string; period: string; spent: number }>`
    select scope, subject, period, spent from ai_spend`;
  const found = sums.map(
    ({ scope, subject, period, spent }) => [`${scope} ${subject} ${period}`, Number(spent)] as const,
  );
  assert.deepEqual(found.sort(), [...expected].sort());
  assert.deepEqual(await db.all`select scope, subject, reserved from ai_spend where reserved <> 0`, []);
}

async function run(
  t: Scope,
  wire: "anthropic" | "openai",
  databaseUrl: string,
): Promise<Map<string, number>> {
  const provider = await startAiProvider(t, wire);
  const directory = await temporaryDirectory(t);
  const settings = {
    ...provider.settings,
    SERVICE_DATABASE_URL: databaseUrl,
    SERVICE_AI_MODELS: "m",
    SERVICE_AI_PRICES: JSON.stringify({ m: { input: 3, output: 15, cacheWrite: 3.75, cacheRead: 0.3 } }),
    SERVICE_LOG_LEVEL: "error",
  };
  const sent: Sent[] = [];
  let slug: string | null = null;
  let next = 0;
  for (let kill = 0; kill <= KILLS; kill++) {
    const service = await startProcess(t, directory, settings);
    slug ??= (
      await stage(devTarget(service.base, "path"), {
        access: "whole_org",
        switches: { aiAudience: "viewers" },
      })
    ).slug;
    const canvas = slug;
    const end = Math.round((REQUESTS * (kill + 1)) / (KILLS + 1));
    const work = (counted: () => void) =>
      parallel(
        Array.from({ length: WORKERS }, (_, worker) => worker),
        async () => {
          while (kill < KILLS || next < end) {
            const one = await sendOne(service.base, canvas, next++);
            if (one === null) return;
            sent.push(one);
            if (one.status === null && !one.aborted) return;
            counted();
          }
        },
        WORKERS,
      );
    if (kill < KILLS) await killAmid(service, end - next, work);
    else await work(() => {});
  }
  const db = await openDb(readConfig(settings), assert.ifError);
  atEnd(t, () => db.close());
  await until("every lease has ended", async () => {
    const open = await db.get`select id from ai_requests where lease is not null`;
    if (open !== undefined) await sleep(100);
    return open === undefined;
  });
  const rows = await rowsIn(db);
  await parallel(sent, (one) => requireOneRow(one, rows, provider));
  await requireSums(rows, db);
  assert.ok(sent.length >= REQUESTS * 0.9);
  const states = new Map<string, number>();
  for (const { state } of rows) states.set(state, (states.get(state) ?? 0) + 1);
  return states;
}

for (const { name, skip, database } of ENGINES) {
  const wire = name === "sqlite" ? "anthropic" : "openai";
  test(`${REQUESTS} AI requests amid ${KILLS} kills are settled once each, on ${name} with ${wire}`, {
    skip,
    timeout: 90_000,
  }, async (t) => {
    const states = await run(t, wire, await database(t));
    for (const state of ["done", "failed", "aborted", "lost"]) assert.ok(states.has(state), state);
    t.diagnostic(JSON.stringify(Object.fromEntries(states)));
  });
}

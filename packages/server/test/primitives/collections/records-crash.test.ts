import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import path from "node:path";
import { test } from "node:test";
import { readConfig } from "../../../src/config/config.ts";
import { openDb } from "../../../src/drivers/index.ts";
import { killAmid, signIn, startProcess } from "../../support/process.ts";
import { temporaryDirectory } from "../../support/service.ts";
import { indexed, recordsOf, submissionsOf } from "./record-figures.ts";

const ROUNDS = 1;
const WRITERS = 12;

/** A stored state of a record or submission: the number `n` in its value; null when it is removed. */
type Held = number | null;

/** The states that a record or submission may have after a kill: the last acknowledged one, and the one of a request without a response. */
interface Place {
  acknowledged: Held;
  unanswered?: Held;
}

/** What a writer knows: its records by id, the number in the record that it is creating, and its submission. Numbers only increase. */
interface Writer {
  name: string;
  n: number;
  records: Map<string, Place>;
  making: number | null;
  answer: Place;
}

interface Value {
  writer: string;
  n: number;
}

/** Returns a function that sends requests as the owner of the example canvases. */
function caller(base: string, headers: Record<string, string>) {
  return async (method: string, at: string, body?: unknown): Promise<{ status: number; json: unknown }> => {
    const json = { ...headers, "content-type": "application/json" };
    const answer = await fetch(base + at, {
      method,
      headers: body === undefined ? headers : json,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, json: await answer.json() };
  };
}
type Call = ReturnType<typeof caller>;

const API = "/v1/c/cursors";

/** Creates, updates, deletes and increments records, until the service is killed. */
async function write(call: Call, writer: Writer, acknowledged: () => void): Promise<void> {
  const next = (): Value => ({ writer: writer.name, n: ++writer.n });
  const settle = async (place: Place, held: Held, work: () => Promise<{ status: number }>) => {
    place.unanswered = held;
    assert.equal((await work()).status, 200);
    place.acknowledged = held;
    delete place.unanswered;
    acknowledged();
  };
  for (;;) {
    try {
      const made = next();
      writer.making = made.n;
      const { status, json } = await call("POST", `${API}/collections/crash`, made);
      assert.equal(status, 201);
      writer.records.set((json as { id: string }).id, { acknowledged: made.n });
      writer.making = null;
      acknowledged();
      const there = [...writer.records].filter(([, { acknowledged }]) => acknowledged !== null);
      for (const remove of [false, true]) {
        const [id, place] = there[randomInt(there.length)] as [string, Place];
        if (place.acknowledged === null || (remove && randomInt(2) === 0)) continue;
        const value = next();
        const at = `${API}/collections/crash/${id}`;
        await settle(place, remove ? null : value.n, () =>
          remove ? call("DELETE", at) : call("PUT", at, value),
        );
      }
      const answer = next();
      const withdraw = randomInt(4) === 0;
      const at = `${API}/submissions/crash-${writer.name}/mine`;
      await settle(writer.answer, withdraw ? null : answer.n, () =>
        withdraw ? call("DELETE", at) : call("PUT", at, answer),
      );
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return;
    }
  }
}

interface Entry {
  id: string;
  value: Value;
}

/** Reads every record, page by page. */
async function listed(call: Call, query = ""): Promise<Entry[]> {
  const seen: Entry[] = [];
  for (let cursor = ""; ; ) {
    const { status, json } = await call("GET", `${API}/collections/crash?limit=1000${query}${cursor}`);
    assert.equal(status, 200);
    const page = json as { entries: Entry[]; nextCursor: string | null };
    seen.push(...page.entries);
    if (page.nextCursor === null) return seen;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

const agrees = ({ acknowledged, unanswered = acknowledged }: Place, held: Held) =>
  held === acknowledged || held === unanswered;

/**
 * Asserts that each record and submission has its acknowledged or its pending state, and that index and counters agree. The writers
 * continue from the stored states.
 */
async function check(call: Call, canvas: string, writers: Writer[]): Promise<void> {
  const entries = await listed(call);
  const there = new Map(entries.map(({ id, value }) => [id, value]));
  let answers = 0;
  for (const writer of writers) {
    for (const [id, place] of writer.records) {
      const held = there.get(id)?.n ?? null;
      assert.ok(agrees(place, held), `record ${id} holds ${held}: ${JSON.stringify(place)}`);
      writer.records.set(id, { acknowledged: held });
    }
    const unknown = entries.filter(
      ({ id, value }) => value.writer === writer.name && !writer.records.has(id),
    );
    for (const { id, value } of unknown) {
      assert.equal(value.n, writer.making, "a record that nobody made");
      writer.records.set(id, { acknowledged: value.n });
    }
    assert.ok(unknown.length <= 1);
    writer.making = null;
    const { status, json } = await call("GET", `${API}/submissions/crash-${writer.name}/mine`);
    const held = status === 404 ? null : (json as { value: Value }).value.n;
    assert.ok(agrees(writer.answer, held), `the answer is ${held}: ${JSON.stringify(writer.answer)}`);
    writer.answer = { acknowledged: held };
    answers += Number(held !== null);
  }
  const byNumber = await listed(call, "&orderBy=value.n");
  assert.deepEqual(new Set(byNumber.map(({ id }) => id)), new Set(there.keys()));
  const numbers = byNumber.map(({ value }) => value.n);
  assert.deepEqual(
    numbers,
    numbers.toSorted((a, b) => a - b),
  );
  const { counts } = (await call("GET", `/api/canvases/${canvas}/usage`)).json as {
    counts: Record<string, { used: number }>;
  };
  assert.equal(counts["collections.records.canvas"]?.used, entries.length);
  assert.equal(counts["submissions.canvas"]?.used, answers);
}

/** Configures a collection of the example canvas `cursors`, which has no first data, and returns the id of the canvas. */
async function prepare(call: Call): Promise<string> {
  const { canvases } = (await call("GET", "/api/canvases?q=cursors")).json as {
    canvases: { id: string; slug: string; runtimePolicyRevision: string | null }[];
  };
  const canvas = canvases.find(({ slug }) => slug === "cursors");
  const { status } = await call("PATCH", `/api/canvases/${canvas?.id}/capabilities`, {
    expectedRuntimePolicy: canvas?.runtimePolicyRevision ?? null,
    runtimePolicy: { collections: { crash: { preset: "collaborative" } } },
  });
  assert.equal(status, 200);
  return String(canvas?.id);
}

test("records and submissions survive kill -9", { timeout: 1_200_000 }, async (t) => {
  const directory = await temporaryDirectory(t);
  const writers = Array.from(
    { length: WRITERS },
    (_, index): Writer => ({
      name: `w${index}`,
      n: 0,
      records: new Map(),
      making: null,
      answer: { acknowledged: null },
    }),
  );
  let canvas = "";
  for (let round = 0; round <= ROUNDS; round++) {
    const service = await startProcess(t, directory);
    const call = caller(service.base, await signIn(service.base));
    if (round === 0) canvas = await prepare(call);
    await check(call, canvas, writers);
    if (round === ROUNDS) {
      await service.end("SIGKILL");
      break;
    }
    await killAmid(service, randomInt(3 * WRITERS, 15 * WRITERS), (acknowledged) =>
      Promise.all(writers.map((writer) => write(call, writer, acknowledged))),
    );
  }
  const database = `sqlite:${path.join(directory, "easel.db")}`;
  const db = await openDb(readConfig({ SERVICE_DATABASE_URL: database }), assert.ifError);
  try {
    await indexed(db, canvas);
    for (const [counted, held] of [await recordsOf(db, canvas), await submissionsOf(db, canvas)])
      assert.equal(counted, held);
  } finally {
    await db.close();
  }
});

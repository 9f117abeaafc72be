import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import { CallLog, type WaitingCalls } from "./call-log.ts";

const MINUTE_MS = 60_000;
const PER_MINUTE = LIMITS.loggedCallsPerMinute.value;
const OF_PAGES = LIMITS.pageErrorsPerMinute.value;
const OF_OUTSIDERS = LIMITS.loggedOutsiderCallsPerMinute.value;

/** Returns a call with this time and status. */
const callAt = (at: number, status = 404) => ({
  at,
  method: "GET",
  route: "/kv",
  status,
  code: null,
  message: null,
  userId: null,
  requestId: "1",
  pageError: null,
});

/** Writes the waiting calls. Returns for each canvas its id, the statuses of its calls and the number of dropped calls. */
async function written(log: CallLog, now = 0) {
  const stored: WaitingCalls[] = [];
  await log.write(async (calls) => void stored.push(calls), now);
  return stored.map(({ canvasId, calls, dropped }) => [canvasId, calls.map(({ status }) => status), dropped]);
}

const A = { id: "a", slug: "a" };
const B = { id: "b", slug: "b" };

suite("logged calls before they are written", () => {
  test("each call is written once, in order, by canvas", async () => {
    const log = new CallLog(true);
    log.add(A, callAt(0, 400), "insider");
    log.add(B, callAt(0, 401), "insider");
    log.add(A, callAt(0, 402), "insider");
    assert.deepEqual(await written(log), [
      ["a", [400, 402], 0],
      ["b", [401], 0],
    ]);
    assert.deepEqual(await written(log), []);
  });

  test("the number of calls per canvas and minute is limited, also across writes; further calls are counted", async () => {
    const log = new CallLog(true);
    const fill = (at: number, count: number) => {
      for (let index = 0; index < count; index++) log.add(A, callAt(at), "insider");
    };
    const counts = async (now: number) =>
      (await written(log, now)).map(([, statuses, dropped]) => [(statuses as number[]).length, dropped]);
    fill(0, PER_MINUTE - 1);
    assert.deepEqual(await counts(0), [[PER_MINUTE - 1, 0]]);
    fill(1, 1_000);
    log.add(B, callAt(1), "insider");
    assert.deepEqual(await counts(MINUTE_MS - 1), [
      [1, 999],
      [1, 0],
    ]);
    fill(MINUTE_MS, 3);
    assert.deepEqual(await counts(MINUTE_MS), [[3, 0]]);
  });

  test("calls of outsiders have a budget of their own: they neither use up that of insiders nor push it out", async () => {
    const log = new CallLog(true);
    for (let index = 0; index < 10_000; index++) log.add(A, callAt(0, 404), "outsider");
    for (let index = 0; index < PER_MINUTE; index++) log.add(A, callAt(0, 500), "insider");
    const [[, statuses, dropped] = assert.fail()] = await written(log);
    const counts = [404, 500].map(
      (each) => (statuses as number[]).filter((status) => status === each).length,
    );
    assert.deepEqual([counts, dropped], [[OF_OUTSIDERS, PER_MINUTE], 10_000 - OF_OUTSIDERS]);
  });

  test("errors of pages have a budget of their own, of which each person has theirs", async () => {
    const log = new CallLog(true);
    const errorOf = (userId: string) => log.add(A, { ...callAt(0, 204), userId }, "page");
    for (let index = 0; index < 1_000; index++) errorOf("ada");
    errorOf("bo");
    for (let index = 0; index < PER_MINUTE; index++) log.add(A, callAt(0, 403), "insider");
    const [[, statuses, dropped] = assert.fail()] = await written(log);
    const count = (wanted: number) => (statuses as number[]).filter((status) => status === wanted).length;
    assert.deepEqual([count(204), count(403), dropped], [OF_PAGES + 1, PER_MINUTE, 1_000 - OF_PAGES]);
  });

  test("during an outage, calls of outsiders leave room for those of insiders", async () => {
    const log = new CallLog(true);
    for (let canvas = 0; canvas < 1_000; canvas++)
      for (let index = 0; index < OF_OUTSIDERS; index++)
        log.add({ id: `${canvas}`, slug: "" }, callAt(0), "outsider");
    const away = log.write(() => Promise.reject(new Error("away")), 0);
    await assert.rejects(away);
    for (let index = 0; index < PER_MINUTE; index++) log.add(A, callAt(0), "insider");
    const [canvasId, statuses, dropped] = (await written(log)).at(-1) ?? assert.fail();
    assert.deepEqual([canvasId, (statuses as number[]).length, dropped], ["a", PER_MINUTE, 0]);
  });

  test("calls that cannot be stored are written before later ones", async () => {
    const log = new CallLog(true);
    for (const canvas of [A, B]) log.add(canvas, callAt(0, 400), "insider");
    let stored = 0;
    const failing = log.write(async () => {
      if (stored++ === 1) throw new Error("away");
    }, 0);
    log.add(B, callAt(0, 401), "insider");
    await assert.rejects(failing, /away/);
    assert.deepEqual(await written(log), [["b", [400, 401], 0]]);
  });

  test("a write waits for the previous write", async () => {
    const log = new CallLog(true);
    const order: number[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    log.add(A, callAt(0), "insider");
    const first = log.write(async () => {
      log.add(A, callAt(0), "insider");
      await promise;
      order.push(1);
    }, 0);
    const second = log.write(async () => void order.push(2), 0).then(() => void order.push(3));
    resolve();
    await Promise.all([first, second]);
    assert.deepEqual(order, [1, 2, 3]);
  });

  test("during an outage, calls above the limit for all canvases are only counted", async () => {
    const log = new CallLog(true);
    for (let canvas = 0; canvas < 101; canvas++)
      for (let index = 0; index < PER_MINUTE; index++)
        log.add({ id: `${canvas}`, slug: "" }, callAt(0), "insider");
    const stored = await written(log);
    const total = stored.reduce((sum, [, statuses]) => sum + (statuses as number[]).length, 0);
    assert.deepEqual([total, stored.at(-1)], [10_000, ["100", [], PER_MINUTE]]);
  });

  test("if no log is kept, listeners get the calls and nothing is written", async () => {
    const log = new CallLog(false);
    const heard: number[] = [];
    log.subscribe(({ status }, { slug }) => heard.push(status, slug.length));
    log.add(A, callAt(0), "insider");
    assert.deepEqual([heard, await written(log)], [[404, 1], []]);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { coreData } from "../../src/canvases/core-data.ts";
import { purgeCanvases } from "../../src/canvases/deletion.ts";
import type { Db } from "../../src/drivers/db/db.ts";
import {
  callsOfCanvas,
  callsOfProfile,
  countCall,
  DURATION_BOUNDS,
  writeCounts,
} from "../../src/organisation/connections/calls.ts";
import { deleteProfile } from "../../src/organisation/connections/profiles.ts";
import { connectionsData } from "../../src/primitives/connections/limits.ts";
import { onDatabases } from "../drivers/databases.ts";
import { cleanUp } from "../support/clean-up.ts";
import { DAY_MS } from "../support/time.ts";
import { ConnectionStores, freshProfile } from "./connection-stores.ts";

const JANUARY = { from: "2031-01-01", to: "2031-01-31" };

await onDatabases("calls of Connections", (db, otherDb) => {
  const stores = new ConnectionStores(db);
  const { env } = stores;

  /** Counts a call for each duration in ms, and writes the counts to the database. */
  async function called(canvasId: string, profile: string, outcome: string, ...durations: number[]) {
    for (const ms of durations) countCall({ canvasId, profile, outcome, ms }, env);
    await writeCounts(env);
  }
  const reportOf = async (canvasId: string, profile: string) =>
    (await callsOfCanvas(canvasId, JANUARY, env)).find((each) => each.profile === profile);

  test("responses and failures are counted by outcome; the latency is that of the responses", async () => {
    const [canvas, profile] = [await stores.canvas(), freshProfile()];
    await called(canvas, profile, "2xx", 10, 20.4, 30);
    await called(canvas, profile, "5xx", 100);
    await called(canvas, profile, "UPSTREAM_TIMEOUT", 10_000);
    await called(canvas, profile, "CONNECTION_RATE_LIMIT", 0, 0);
    assert.deepEqual(await reportOf(canvas, profile), {
      profile,
      calls: 7,
      responses: { "2xx": 3, "5xx": 1 },
      failures: { CONNECTION_RATE_LIMIT: 2, UPSTREAM_TIMEOUT: 1 },
      latency: { meanMs: 40, p50Ms: 35, p95Ms: 100 },
    });
  });

  test("without a response there is no latency", async () => {
    const [canvas, profile] = [await stores.canvas(), freshProfile()];
    await called(canvas, profile, "UPSTREAM_UNAVAILABLE", 3);
    assert.equal((await reportOf(canvas, profile))?.latency, null);
  });

  /**
   * Durations of calls in ms, and the p50 and p95 that the report must have. The report knows each duration only as the next bound in
   * `DURATION_BOUNDS`, and durations over 60 s as 60,000 ms.
   */
  const QUANTILES: [durations: number[], p50Ms: number, p95Ms: number][] = [
    [[0], 1, 1],
    [[1], 1, 1],
    [[1.01], 2, 2],
    [[2], 2, 2],
    [[5, 9_999], 5, 10_000],
    [[10_000], 10_000, 10_000],
    [[10_001], 60_000, 60_000],
    [[600_000], 60_000, 60_000],
    [[...Array(19).fill(10), 5_000], 10, 10],
    [[...Array(18).fill(10), 5_000, 5_000], 10, 5_000],
    [[...Array(9).fill(1), ...Array(10).fill(50)], 50, 50],
    [[100, 1, 50, 2, 20], 20, 100],
  ];
  for (const [durations, p50Ms, p95Ms] of QUANTILES)
    test(`durations ${durations}: p50 ${p50Ms} ms, p95 ${p95Ms} ms`, async () => {
      const [canvas, profile] = [await stores.canvas(), freshProfile()];
      await called(canvas, profile, "2xx", ...durations);
      const { latency } = (await reportOf(canvas, profile)) ?? assert.fail();
      assert.deepEqual([latency?.p50Ms, latency?.p95Ms], [p50Ms, p95Ms]);
    });

  test("the bounds of durations increase", () => {
    assert.deepEqual(
      DURATION_BOUNDS,
      DURATION_BOUNDS.toSorted((one, other) => one - other),
    );
  });

  test("a report covers its first and last day whole, and no other", async () => {
    const [canvas, profile] = [await stores.canvas(), freshProfile()];
    const at = new ConnectionStores(db);
    for (const time of [
      Date.UTC(2030, 11, 31, 23, 59, 59, 999),
      Date.UTC(2031, 0, 1),
      Date.UTC(2031, 0, 31, 23, 59, 59, 999),
      Date.UTC(2031, 1, 1),
    ]) {
      at.now = time;
      countCall({ canvasId: canvas, profile, outcome: "2xx", ms: 1 }, at.env);
    }
    await writeCounts(at.env);
    assert.equal((await reportOf(canvas, profile))?.calls, 2);
    const { days, total, from, to } = await callsOfProfile(profile, JANUARY, env);
    assert.deepEqual([from, to, total.calls], ["2031-01-01", "2031-01-31", 2]);
    assert.deepEqual(
      days.map(({ day, calls }) => [day, calls]),
      [
        ["2031-01-01", 1],
        ["2031-01-31", 1],
      ],
    );
  });

  test("a profile's calls are summed up by canvas, and a canvas's by profile", async () => {
    const [one, other] = [await stores.canvas("B"), await stores.canvas("A")];
    const [weather, news] = [freshProfile(), freshProfile()].toSorted();
    assert.ok(weather && news);
    await called(one, weather, "2xx", 1, 1);
    await called(one, news, "2xx", 1);
    await called(other, weather, "4xx", 1);
    const { canvases, total } = await callsOfProfile(weather, JANUARY, env);
    assert.deepEqual(
      canvases.map(({ canvasId, slug, title, calls }) => [canvasId, slug, title, calls]),
      [
        [other, other, "A", 1],
        [one, one, "B", 2],
      ],
    );
    assert.deepEqual(total.responses, { "2xx": 2, "4xx": 1 });
    assert.deepEqual(
      (await callsOfCanvas(one, JANUARY, env)).map(({ profile, calls }) => [profile, calls]),
      [
        [weather, 2],
        [news, 1],
      ],
    );
  });

  test("counts of two nodes and of two writes add up", async () => {
    const [canvas, profile] = [await stores.canvas(), freshProfile()];
    const nodes = [stores, new ConnectionStores(otherDb)];
    for (let round = 0; round < 5; round++)
      await Promise.all(
        nodes.map(({ env: node }) => {
          countCall({ canvasId: canvas, profile, outcome: "2xx", ms: 4 }, node);
          return writeCounts(node);
        }),
      );
    const rows = await db.all<{ calls: number; ms: number }>`
      select calls, ms from connection_calls where canvas_id = ${canvas}`;
    assert.deepEqual(
      rows.map(({ calls, ms }) => [Number(calls), Number(ms)]),
      [[10, 40]],
    );
  });

  test("calls of a canvas that was removed meanwhile are dropped, and those of others are written", async () => {
    const [canvas, gone, profile] = [await stores.canvas(), await stores.canvas(), freshProfile()];
    countCall({ canvasId: gone, profile, outcome: "2xx", ms: 1 }, env);
    countCall({ canvasId: canvas, profile, outcome: "2xx", ms: 1 }, env);
    await db.run`delete from canvases where id = ${gone}`;
    await writeCounts(env);
    assert.equal((await callsOfProfile(profile, JANUARY, env)).total.calls, 1);
    assert.deepEqual(env.callTally.take(), []);
  });

  test("calls outlive their profile and the canvas's deletion, and go when the canvas is purged", async () => {
    const [canvas, profile] = [await stores.canvas(), freshProfile()];
    await stores.put(profile);
    await called(canvas, profile, "2xx", 1);
    await deleteProfile(profile, env);
    assert.equal((await reportOf(canvas, profile))?.calls, 1);
    await db.run`update canvases set deleted_at = 5 where id = ${canvas}`;
    assert.equal((await callsOfProfile(profile, JANUARY, env)).canvases.length, 1);
    while ((await purgeCanvases({ ...env, canvasData: [connectionsData, coreData] })) > 0);
    assert.equal((await callsOfProfile(profile, JANUARY, env)).total.calls, 0);
  });

  test("counts that cannot be written are kept, and written once later", async () => {
    const [canvas, profile] = [await stores.canvas(), freshProfile()];
    const broken = new Error("the database is away");
    let batches = 0;
    const failing: Db = new Proxy(db, {
      get: (target, name) =>
        name !== "batch"
          ? Reflect.get(target, name).bind(target)
          : async (...given: Parameters<Db["batch"]>) => {
              if (++batches === 2) throw broken;
              return target.batch(...given);
            },
    });
    // 250 different counts are written in three transactions, the second of which fails.
    for (let index = 0; index < 250; index++)
      countCall({ canvasId: canvas, profile: `${profile}-${index}`, outcome: "2xx", ms: 1 }, env);
    await assert.rejects(writeCounts({ ...env, db: failing }), broken);
    assert.equal((await callsOfCanvas(canvas, JANUARY, env)).length, 100);
    countCall({ canvasId: canvas, profile: `${profile}-249`, outcome: "2xx", ms: 1 }, env);
    await writeCounts(env);
    const written = await callsOfCanvas(canvas, JANUARY, env);
    assert.equal(written.length, 250);
    assert.deepEqual(
      written.filter(({ calls }) => calls !== 1).map((each) => [each.profile, each.calls]),
      [[`${profile}-249`, 2]],
    );
  });

  test("the sweep removes calls after 90 days and leaves the others", async () => {
    const [canvas, profile] = [await stores.canvas(), freshProfile()];
    const today = Math.floor(Date.now() / DAY_MS);
    const at = new ConnectionStores(db);
    for (const age of [91, 90, 89, 0]) {
      at.now = (today - age) * DAY_MS;
      countCall({ canvasId: canvas, profile, outcome: "2xx", ms: 1 }, at.env);
    }
    await writeCounts(at.env);
    await cleanUp(connectionsData, { db });
    const left = await db.all<{ day: number }>`
      select day from connection_calls where canvas_id = ${canvas} order by day`;
    assert.deepEqual(
      left.map(({ day }) => today - Number(day)),
      [89, 0],
    );
  });
});

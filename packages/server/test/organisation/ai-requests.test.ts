import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { coreData } from "../../src/canvases/core-data.ts";
import { purgeCanvases } from "../../src/canvases/deletion.ts";
import { newId } from "../../src/crypto/ids.ts";
import { Unavailable } from "../../src/drivers/db/db.ts";
import { keepLease } from "../../src/instance/lease.ts";
import { settle, settleLost } from "../../src/organisation/ai/reservations.ts";
import { exceededCap, spendRows } from "../../src/organisation/ai/spend-caps.ts";
import { aiData } from "../../src/primitives/ai/completion.ts";
import { onDatabases, times } from "../drivers/databases.ts";
import { changedDb } from "../support/changed-db.ts";
import { cleanUp } from "../support/clean-up.ts";
import { DAY_MS } from "../support/time.ts";
import { DOLLAR, Ledger, SETTINGS } from "./ai-ledger.ts";

const USAGE = {
  inputTokens: 1,
  outputTokens: 2,
  cacheCreationInputTokens: 3,
  cacheReadInputTokens: 4,
};
const DONE = { outcome: "done", usage: USAGE, cost: 30 } as const;

await onDatabases("ai requests", (db, otherDb) => {
  // No test counts the open requests of another one.
  beforeEach(async () => {
    const ledger = new Ledger(db);
    await db.run`update leases set leased_until = 0`;
    await settleLost(ledger.env);
  });

  test("a reservation is a row of the request, and counts for the person's day and the canvas's month", async () => {
    const ledger = new Ledger(db);
    const spender = await ledger.spender();
    await ledger.reserved(spender, 100);
    assert.deepEqual(await ledger.sums(spender), [
      { scope: "user_daily", period: "2031-01-31", spent: 0, reserved: 100 },
      { scope: "canvas_monthly", period: "2031-01", spent: 0, reserved: 100 },
    ]);
    assert.deepEqual(await ledger.requests(spender), [
      {
        state: "open",
        cost: 0,
        tokens: [0, 0, 0, 0],
        endedAt: null,
        lease: ledger.env.lease.id,
      },
    ]);
  });

  test("a settlement replaces the reservation by the cost, below or above it", async () => {
    const ledger = new Ledger(db);
    const spender = await ledger.spender();
    const [below, above] = [await ledger.reserved(spender, 100), await ledger.reserved(spender, 100)];
    ledger.now += 500;
    await settle(below, DONE, ledger.env);
    await settle(above, { outcome: "aborted", usage: USAGE, cost: 170 }, ledger.env);
    for (const { spent, reserved } of await ledger.sums(spender))
      assert.deepEqual([spent, reserved], [200, 0]);
    const rows = await ledger.requests(spender);
    assert.deepEqual(rows.map(({ state, cost }) => [state, cost]).sort(), [
      ["aborted", 170],
      ["done", 30],
    ]);
    for (const { tokens, endedAt, lease } of rows)
      assert.deepEqual([tokens, endedAt, lease], [[1, 2, 3, 4], ledger.now, null]);
  });

  test("of many settlements at once, one counts", async () => {
    const ledger = new Ledger(db);
    const other = new Ledger(otherDb);
    const spender = await ledger.spender();
    const request = await ledger.reserved(spender, 100);
    await times(20, (index) =>
      settle(request, { outcome: "done", cost: index + 1 }, index % 2 === 0 ? ledger.env : other.env),
    );
    const [row] = await ledger.requests(spender);
    for (const { spent, reserved } of await ledger.sums(spender))
      assert.deepEqual([spent, reserved], [row?.cost, 0]);
  });

  test("a second settlement changes nothing", async () => {
    const ledger = new Ledger(db);
    const spender = await ledger.spender();
    const request = await ledger.reserved(spender, 100);
    await settle(request, DONE, ledger.env);
    const before = [await ledger.requests(spender), await ledger.sums(spender)];
    ledger.now += 1;
    await settle(request, { outcome: "failed", cost: 99 }, ledger.env);
    assert.deepEqual([await ledger.requests(spender), await ledger.sums(spender)], before);
  });

  test("lost: it costs the reservation, has no tokens, and a later settlement changes nothing", async () => {
    const ledger = new Ledger(db);
    const spender = await ledger.spender();
    const request = await ledger.reserved(spender, 100);
    await ledger.expire();
    assert.equal(await settleLost(ledger.env), 1);
    await settle(request, DONE, ledger.env);
    assert.deepEqual(await ledger.requests(spender), [
      {
        state: "lost",
        cost: 100,
        tokens: [0, 0, 0, 0],
        endedAt: ledger.now,
        lease: null,
      },
    ]);
    for (const { spent, reserved } of await ledger.sums(spender))
      assert.deepEqual([spent, reserved], [100, 0]);
    assert.equal(await settleLost(ledger.env), 0);
  });

  test("a settled request is never lost", async () => {
    const ledger = new Ledger(db);
    const spender = await ledger.spender();
    await settle(await ledger.reserved(spender, 100), DONE, ledger.env);
    ledger.now += DAY_MS;
    assert.equal(await settleLost(ledger.env), 0);
    assert.equal((await ledger.requests(spender))[0]?.state, "done");
  });

  test("a request is lost when its lease has ended, not before; its node renews the lease", async () => {
    const [ledger, other] = [new Ledger(db), new Ledger(otherDb)];
    const spender = await ledger.spender();
    await ledger.reserved(spender);
    assert.equal(await settleLost(other.env), 0);

    await ledger.expire();
    await db.run(...keepLease(other.env.lease.id));
    await db.run(...keepLease(ledger.env.lease.id));
    assert.equal(await settleLost(other.env), 0);

    await ledger.expire();
    assert.equal(await settleLost(other.env), 1);
    assert.equal((await ledger.requests(spender))[0]?.state, "lost");
  });

  test("a request whose settlement failed is lost, although its node goes on", async () => {
    const ledger = new Ledger(db);
    const spender = await ledger.spender();
    const request = await ledger.reserved(spender, 100);
    const unavailable = changedDb(db, { batch: () => Promise.reject(new Unavailable("no database")) });
    await assert.rejects(settle(request, DONE, { ...ledger.env, db: unavailable }), Unavailable);
    ledger.env.lease.held.add("another");
    assert.equal(await settleLost(ledger.env), 1);
    for (const { spent, reserved } of await ledger.sums(spender))
      assert.deepEqual([spent, reserved], [100, 0]);
  });

  test("several nodes settle 250 lost requests at once, each once", async () => {
    const [ledger, one, two] = [new Ledger(db), new Ledger(db), new Ledger(otherDb)];
    const spender = await ledger.spender();
    for (let batch = 0; batch < 5; batch++) await times(50, () => ledger.reserved(spender, 10));
    await ledger.expire();
    await Promise.all([settleLost(one.env), settleLost(two.env)]);
    const rows = await ledger.requests(spender);
    assert.deepEqual([rows.length, new Set(rows.map(({ state }) => state))], [250, new Set(["lost"])]);
    for (const { spent, reserved } of await ledger.sums(spender))
      assert.deepEqual([spent, reserved], [2_500, 0]);
  });

  test("a settlement counts in the day and month in which its request began", async () => {
    const ledger = new Ledger(db);
    ledger.now = Date.UTC(2031, 11, 31, 23, 59, 59, 999);
    const spender = await ledger.spender();
    const request = await ledger.reserved(spender);
    ledger.now++;
    await ledger.reserved({ ...spender, startedAt: ledger.now }, 7);
    await settle(request, DONE, ledger.env);
    assert.deepEqual(await ledger.sums(spender), [
      { scope: "user_daily", period: "2032-01-01", spent: 0, reserved: 7 },
      { scope: "user_daily", period: "2031-12-31", spent: 30, reserved: 0 },
      { scope: "canvas_monthly", period: "2032-01", spent: 0, reserved: 7 },
      { scope: "canvas_monthly", period: "2031-12", spent: 30, reserved: 0 },
    ]);
  });

  test("a canvas that is removed for good during a request: the settlement changes nothing", async () => {
    const ledger = new Ledger(db);
    const spender = await ledger.spender();
    const guest = { ...spender, userId: "guest:g", guest: true };
    const requests = [await ledger.reserved(spender), await ledger.reserved(guest)];
    await db.run`update canvases set deleted_at = 1 where id = ${spender.canvasId}`;
    const env = { ...ledger.env, canvasData: [aiData, coreData] };
    await purgeCanvases(env);
    for (const request of requests) await settle(request, DONE, ledger.env);
    assert.deepEqual(await ledger.requests(spender), []);
    assert.deepEqual(
      (await ledger.sums(spender)).map(({ scope }) => scope),
      ["user_daily"],
    );
    assert.deepEqual(await ledger.sums(guest), []);
  });

  test("100 mixed reservations and settlements at once end, and the sums match the requests", async () => {
    const nodes = [new Ledger(db), new Ledger(otherDb)];
    const [ledger] = nodes as [Ledger, Ledger];
    const canvases = [await ledger.spender(), await ledger.spender()];
    const people = ["p-1", "p-2", "guest:x"];
    await times(100, async (index) => {
      const node = nodes[index % 2] as Ledger;
      const userId = `${people[index % 3]}-${canvases[0]?.canvasId}`;
      const canvasId = canvases[(index >> 1) % 2]?.canvasId ?? assert.fail();
      const request = await node.reserved({
        userId,
        canvasId,
        guest: index % 3 === 2,
        invitedBy: null,
        startedAt: ledger.now,
      });
      if (index % 5 === 0) await node.env.db.run(...keepLease(node.env.lease.id));
      if (index % 4 > 0) await settle(request, { outcome: "done", cost: index }, node.env);
    });
    for (const { canvasId } of canvases) {
      const rows = await ledger.requests({ canvasId });
      const [sum] = await ledger.sums({
        userId: "nobody",
        canvasId,
        guest: false,
        invitedBy: null,
        startedAt: 0,
      });
      assert.equal(rows.length, 50);
      assert.equal(
        sum?.spent,
        rows.reduce((total, { cost }) => total + cost, 0),
      );
      assert.equal(sum?.reserved, 100 * rows.filter(({ state }) => state === "open").length);
    }
  });

  test("the sweep removes settled requests and sums of days and months after 400 days", async () => {
    const ledger = new Ledger(db);
    const settledAt = async (ageMs: number, fields = {}) => {
      ledger.now = Date.now() - ageMs;
      const spender = await ledger.spender(fields);
      await settle(await ledger.reserved(spender), DONE, ledger.env);
      return spender;
    };
    const old = await settledAt(401 * DAY_MS);
    const kept = await settledAt(399 * DAY_MS);
    const recent = await settledAt(360 * DAY_MS);
    const guest = await settledAt(401 * DAY_MS, { guest: true, userId: "guest:old" });
    ledger.now = Date.now() - 401 * DAY_MS;
    const open = await ledger.spender();
    await ledger.reserved(open);
    await cleanUp(aiData, { db });
    assert.deepEqual([await ledger.requests(old), await ledger.requests(guest)], [[], []]);
    assert.deepEqual((await ledger.requests(kept)).length, 1);
    assert.deepEqual((await ledger.requests(open))[0]?.state, "open");
    const scopes = async (spender: typeof old) => (await ledger.sums(spender)).map(({ scope }) => scope);
    assert.ok(!(await scopes(old)).includes("user_daily"));
    assert.ok((await scopes(kept)).includes("user_daily"));
    assert.deepEqual(await scopes(recent), ["user_daily", "canvas_monthly"]);
    assert.ok((await scopes(guest)).includes("guest"), "a guest's cap is for all time");
  });
});

await onDatabases("ai spend caps", (db, otherDb) => {
  test("50 at once, each as large as the cap: one is admitted", async () => {
    const nodes = [new Ledger(db), new Ledger(otherDb)];
    const ledger = nodes[0] as Ledger;
    const spender = await ledger.spender();
    const results = await times(50, (index) => (nodes[index % 2] as Ledger).reserve(spender, DOLLAR));
    assert.equal(results.filter((each) => typeof each === "object").length, 1);
    assert.equal(results.filter((each) => each === "user_daily").length, 49);
    assert.equal((await ledger.requests(spender)).length, 1);
    for (const { reserved } of await ledger.sums(spender)) assert.equal(reserved, DOLLAR);
  });

  test("50 at once, of a canvas: the overshoot is less than one of them", async () => {
    const nodes = [new Ledger(db), new Ledger(otherDb)];
    const ledger = nodes[0] as Ledger;
    const spender = await ledger.spender();
    const amount = 0.3 * DOLLAR;
    const results = await times(50, (index) =>
      (nodes[index % 2] as Ledger).reserve({ ...spender, userId: `${spender.userId}-${index}` }, amount),
    );
    assert.equal(results.filter((each) => typeof each === "object").length, 4);
    assert.equal(results.filter((each) => each === "canvas_monthly").length, 46);
    const [sum] = await ledger.sums(spender);
    assert.deepEqual([sum?.scope, sum?.reserved], ["canvas_monthly", 4 * amount]);
  });

  test("a refused request changes nothing, also where its other cap has room", async () => {
    const ledger = new Ledger(db);
    const spender = await ledger.spender();
    await ledger.reserved(spender, DOLLAR);
    const [newcomer, neighbour] = [
      { ...spender, userId: "newcomer" },
      { ...(await ledger.spender()), userId: spender.userId },
    ];
    assert.equal(await ledger.reserve(newcomer, 1), "canvas_monthly");
    assert.equal(await ledger.reserve(neighbour, 1), "user_daily");
    assert.equal((await ledger.requests(spender)).length, 1);
    assert.deepEqual(await ledger.requests(neighbour), []);
    assert.deepEqual(
      (await ledger.sums(newcomer)).map(({ scope, reserved }) => [scope, reserved]),
      [["canvas_monthly", DOLLAR]],
    );
    assert.deepEqual(
      (await ledger.sums(neighbour)).map(({ scope, reserved }) => [scope, reserved]),
      [["user_daily", DOLLAR]],
    );
  });

  test("what is spent counts like what is reserved, and a settlement makes room", async () => {
    const ledger = new Ledger(db);
    const spender = await ledger.spender();
    const first = await ledger.reserved(spender, DOLLAR);
    assert.equal(await ledger.reserve(spender, 1), "user_daily");
    await settle(first, { outcome: "done", cost: DOLLAR - 1 }, ledger.env);
    const second = await ledger.reserved(spender, 1);
    await settle(second, { outcome: "done", cost: 1 }, ledger.env);
    assert.equal(await ledger.reserve(spender, 1), "user_daily");
  });

  test("a cap of 0 refuses every request, also one that costs nothing", async () => {
    const ledger = new Ledger(db);
    const spender = await ledger.spender();
    const guest = { ...spender, userId: `guest:${spender.userId}`, guest: true };
    assert.equal(await ledger.reserve(spender, 0, { "ai.userDailyUsd": 0 }), "user_daily");
    assert.equal(await ledger.reserve(spender, 0, { "ai.canvasMonthlyUsd": 0 }), "canvas_monthly");
    assert.equal(await ledger.reserve(guest, 0, { "ai.guestUsd": 0 }), "guest");
    assert.equal(await ledger.reserve(guest, 0, { "ai.canvasMonthlyUsd": 0 }), "canvas_monthly");
    assert.deepEqual(await ledger.requests(spender), []);
    assert.deepEqual(await ledger.sums(spender), []);
  });

  test("a new day (UTC) gives a person room, a new month a canvas", async () => {
    const ledger = new Ledger(db);
    ledger.now = Date.UTC(2031, 4, 30, 23, 59, 59, 999);
    const spender = await ledger.spender();
    const caps = { "ai.canvasMonthlyUsd": 2 };
    const at = (now: number) => ledger.reserve({ ...spender, startedAt: now }, DOLLAR, caps);
    assert.equal(typeof (await at(ledger.now)), "object");
    assert.equal(await at(ledger.now), "user_daily");
    assert.equal(typeof (await at(ledger.now + 1)), "object");
    assert.equal(await at(ledger.now + 1), "user_daily");
    const lastOfMay = Date.UTC(2031, 4, 31, 23, 59, 59, 999);
    const other = { ...spender, userId: `${spender.userId}-other` };
    assert.equal(await ledger.reserve({ ...other, startedAt: lastOfMay }, 1, caps), "canvas_monthly");
    assert.equal(typeof (await at(lastOfMay + 1)), "object");
  });

  test("the cap of a guest is for all time, and no person's day", async () => {
    const ledger = new Ledger(db);
    const spender = await ledger.spender({ guest: true, userId: "guest:for-all-time" });
    await ledger.reserved(spender, DOLLAR);
    assert.deepEqual(
      (await ledger.sums(spender)).map(({ scope, period }) => [scope, period]),
      [
        ["guest", ""],
        ["canvas_monthly", "2031-01"],
      ],
    );
    const later = { ...spender, startedAt: ledger.now + 365 * DAY_MS };
    assert.equal(await ledger.reserve(later, 1, { "ai.userDailyUsd": 0 }), "guest");
    assert.equal(
      typeof (await ledger.reserve(later, 1, { "ai.userDailyUsd": 0, "ai.guestUsd": 2 })),
      "object",
    );
  });

  test("a guest's request counts for the day of the person who has invited them as well", async () => {
    const ledger = new Ledger(db);
    const invitedBy = newId();
    const spender = await ledger.spender({ guest: true, userId: `guest:${newId()}`, invitedBy });
    const request = await ledger.reserved(spender, DOLLAR);
    const expected = (spent: number, reserved: number) => [
      { scope: "user_daily", period: "2031-01-31", spent, reserved },
      { scope: "guest", period: "", spent, reserved },
      { scope: "canvas_monthly", period: "2031-01", spent, reserved },
    ];
    assert.deepEqual(await ledger.sums(spender), expected(0, DOLLAR));
    await settle(request, { outcome: "done", cost: DOLLAR }, ledger.env);
    assert.deepEqual(await ledger.sums(spender), expected(DOLLAR, 0));

    const another = await ledger.spender({ guest: true, userId: `guest:${newId()}`, invitedBy });
    const own = await ledger.spender({ userId: invitedBy });
    for (const each of [another, own]) assert.equal(await ledger.reserve(each, 1), "user_daily");
    assert.equal(await exceededCap(spendRows(another), SETTINGS, ledger.env), "user_daily");
    assert.equal(await ledger.reserve(spender, 1), "guest");
    assert.equal(typeof (await ledger.reserve(another, 1, { "ai.userDailyUsd": 2 })), "object");
  });

  test("a guest's request that is lost costs the person who has invited them its reservation", async () => {
    const ledger = new Ledger(db);
    const spender = await ledger.spender({ guest: true, userId: `guest:${newId()}`, invitedBy: newId() });
    await ledger.reserved(spender, 100);
    await ledger.expire();
    await settleLost(ledger.env);
    const sums = await ledger.sums(spender);
    assert.deepEqual(
      sums.map(({ spent, reserved }) => [spent, reserved]),
      [
        [100, 0],
        [100, 0],
        [100, 0],
      ],
    );
  });

  test("the cap of the instance: 50 people on canvases of their own exceed it by less than one request", async () => {
    const nodes = [new Ledger(db), new Ledger(otherDb)];
    const ledger = nodes[0] as Ledger;
    const caps = { "ai.instanceMonthlyUsd": 1 };
    for (const each of nodes) each.now = Date.UTC(2044, 0, 15);
    const people = await times(50, () => ledger.spender());
    const results = await times(50, (index) =>
      (nodes[index % 2] as Ledger).reserve(people[index] ?? assert.fail(), 0.3 * DOLLAR, caps),
    );
    assert.equal(results.filter((each) => typeof each === "object").length, 4);
    assert.equal(results.filter((each) => each === "instance_monthly").length, 46);
    const late = await ledger.spender();
    assert.equal(
      await exceededCap(spendRows(late), { ...SETTINGS, ...caps }, ledger.env),
      "instance_monthly",
    );
    assert.equal(await exceededCap(spendRows(late), SETTINGS, ledger.env), null);
    ledger.now = Date.UTC(2044, 1, 1);
    const next = { ...late, startedAt: ledger.now };
    assert.equal(typeof (await ledger.reserve(next, DOLLAR, caps)), "object");
  });

  test("without a cap the instance's spend is counted all the same", async () => {
    const ledger = new Ledger(db);
    ledger.now = Date.UTC(2045, 0, 15);
    for (let turn = 0; turn < 3; turn++) await ledger.reserved(await ledger.spender(), DOLLAR);
    const caps = { "ai.instanceMonthlyUsd": 3 };
    assert.equal(await ledger.reserve(await ledger.spender(), 1, caps), "instance_monthly");
    const request = await ledger.reserve(await ledger.spender(), 1, { "ai.instanceMonthlyUsd": 3.1 });
    assert.equal(typeof request, "object");
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@easel/conformance/patience";
import { OutboundCalls } from "../../async/outbound-calls.ts";
import { type Bus, LEASE_MS } from "../../drivers/bus/bus.ts";
import { memory } from "../../drivers/bus/memory.ts";
import type { Env } from "../../env.ts";
import { Refusal } from "../../http/refusal.ts";
import { newMetrics } from "../../metrics/metrics.ts";
import { DAY_MS } from "../../organisation/days.ts";
import { beginCall, inPlace, type LimitedCall, takeRates } from "./limits.ts";

const CALLER: LimitedCall = { userId: "ada", canvasId: "tea", profile: "weather" };
const MINUTE_MS = 60_000;

/** A node on a bus of its own, at a time that the test sets. */
function node({ processCalls = 50 } = {}) {
  const at = { now: 1_000_000 };
  const bus: Bus = memory(() => at.now);
  const env = (lease: string) =>
    ({
      bus,
      lease: { id: lease },
      outboundCalls: new OutboundCalls(processCalls),
      log: console,
      metrics: newMetrics(),
    }) as unknown as Env;
  return { at, bus, env };
}

const limited = (code: string, retryAfter: string) => (error: unknown) => {
  assert.ok(error instanceof Refusal);
  assert.deepEqual([error.status, error.code, error.headers["retry-after"]], [429, code, retryAfter]);
  return true;
};
const times = async (count: number, work: () => Promise<unknown>) => {
  for (let each = 0; each < count; each++) await work();
};

test("60 calls a minute for each caller, canvas and profile", async () => {
  const { at, env } = node();
  const a = env("a");
  await times(60, () => takeRates(CALLER, {}, a));
  at.now += MINUTE_MS - 1_500;
  await assert.rejects(takeRates(CALLER, {}, a), limited("CONNECTION_RATE_LIMIT", "2"));
  for (const other of [{ userId: "bob" }, { canvasId: "hat" }, { profile: "news" }])
    await takeRates({ ...CALLER, ...other }, {}, a);
  at.now += 1_500;
  await takeRates(CALLER, {}, a);
});

test("600 calls a minute for all callers of a profile; one refused for them costs its caller nothing", async () => {
  const { at, env } = node();
  const a = env("a");
  for (let user = 0; user < 10; user++)
    await times(60, () => takeRates({ ...CALLER, userId: `u${user}` }, {}, a));
  await times(100, () => assert.rejects(takeRates(CALLER, {}, a), limited("CONNECTION_RATE_LIMIT", "60")));
  await takeRates({ ...CALLER, profile: "news" }, {}, a);
  const { bus } = a;
  const own = { rateClass: "connection", owner: "ada", part: "tea weather" } as const;
  assert.equal((await bus.take(own, 60, MINUTE_MS)).remaining, 59);
  at.now += MINUTE_MS;
  await takeRates(CALLER, {}, a);
});

test("a caller above the own rate does not use up that of the profile", async () => {
  const { env } = node();
  const a = env("a");
  await times(60, () => takeRates(CALLER, {}, a));
  await times(600, () => assert.rejects(takeRates(CALLER, {}, a)));
  await times(60, () => takeRates({ ...CALLER, userId: "bob" }, {}, a));
});

test("a request that is refused for its day does not use up the rate of the profile", async () => {
  const { at, env } = node();
  const a = Object.assign(env("a"), { db: { run: async () => 0 }, clock: () => at.now });
  const limits = { requestsPerDay: 5 };
  await times(60, () =>
    assert.rejects(takeRates(CALLER, limits, a), limited("CONNECTION_RATE_LIMIT", "85400")),
  );
  await assert.rejects(takeRates(CALLER, limits, a), limited("CONNECTION_RATE_LIMIT", "60"));
  for (let user = 0; user < 10; user++)
    await times(60, () => takeRates({ ...CALLER, userId: `u${user}` }, {}, a));
});

test("half of the requests of a day for each guest or visitor, until midnight UTC", async () => {
  const { at, env } = node();
  const clock = () => 10 * DAY_MS - 3 * MINUTE_MS + at.now;
  const a = Object.assign(env("a"), { db: { run: async () => 1 }, clock });
  const limits = { requestsPerDay: 5 };
  at.now = 0;
  for (const userId of ["ada", "anonymous:192.0.2.1"]) {
    const caller = { ...CALLER, userId };
    await times(3, () => takeRates(caller, limits, a));
    await assert.rejects(takeRates(caller, limits, a), limited("CONNECTION_RATE_LIMIT", "180"));
    await takeRates({ ...caller, canvasId: "hat" }, limits, a);
  }
  at.now = 3 * MINUTE_MS;
  await takeRates(CALLER, limits, a);
});

/** A call that runs until the test ends it. */
interface Running {
  /** Ends the call, and resolves when it has ended. */
  end(): Promise<void>;
  /** Whether the call has its place. */
  readonly runs: boolean;
  outcome: Promise<string>;
}

const turn = () => new Promise(setImmediate);

/** Begins a call on a node. */
async function call(caller: LimitedCall, env: Env, signal = new AbortController().signal): Promise<Running> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let runs = false;
  const close = beginCall(caller, env);
  const outcome = inPlace(
    caller,
    async () => {
      runs = true;
      await promise;
      return "done";
    },
    signal,
    env,
  )
    .catch((error) => (error instanceof Refusal ? String(error.code) : String(error)))
    .finally(close);
  await turn();
  return {
    outcome,
    get runs() {
      return runs;
    },
    async end() {
      resolve();
      await outcome;
      await turn();
    },
  };
}

const of = (userId: string, more: Partial<LimitedCall> = {}): LimitedCall => ({ ...CALLER, userId, ...more });
const running = (calls: Running[]) => calls.filter(({ runs }) => runs).length;

/** Begins several calls of a caller on a node. */
async function calls(count: number, caller: LimitedCall, env: Env): Promise<Running[]> {
  const begun: Running[] = [];
  while (begun.length < count) begun.push(await call(caller, env));
  return begun;
}

test("five places of a canvas on all nodes; freed ones can be taken by any node", async () => {
  const { bus, env } = node();
  const [a, b] = [env("a"), env("b")];
  for (const { lease } of [a, b]) await bus.renewLease(lease.id);
  const held = [
    ...(await calls(2, of("ada"), a)),
    ...(await calls(2, of("bob"), b)),
    ...(await calls(1, of("eve"), b)),
  ];
  assert.equal(running(held), 5);
  for (const each of [a, b]) assert.equal(await (await call(of("dan"), each)).outcome, "CONNECTION_LIMIT");
  assert.ok((await call(of("dan", { canvasId: "hat" }), a)).runs);
  await held[0]?.end();
  assert.ok((await call(of("dan", { profile: "news" }), b)).runs);
  assert.equal(await (await call(of("dan"), a)).outcome, "CONNECTION_LIMIT");
});

test("a caller runs two calls on a canvas, three wait in order, a sixth is refused; others are not affected", async () => {
  const { bus, env } = node();
  const a = env("a");
  await bus.renewLease(a.lease.id);
  const hostile = await calls(5, of("eve"), a);
  assert.deepEqual(
    hostile.map(({ runs }) => runs),
    [true, true, false, false, false],
  );
  await times(50, () => assert.rejects(call(of("eve"), a), limited("CONNECTION_LIMIT", "1")));
  for (let round = 0; round < 20; round++) {
    const own = await calls(2, of("ada"), a);
    assert.equal(running(own), 2);
    for (const each of own) await each.end();
  }
  await hostile[1]?.end();
  assert.deepEqual(
    hostile.map(({ runs }) => runs),
    [true, true, true, false, false],
  );
  for (const each of hostile) await each.end();
  for (const { outcome } of hostile) assert.equal(await outcome, "done");
});

test("calls of a caller that runs two on another node wait for them", async () => {
  const { bus, env } = node();
  const [a, b] = [env("a"), env("b")];
  for (const { lease } of [a, b]) await bus.renewLease(lease.id);
  const [first] = await calls(2, of("ada"), a);
  const third = await call(of("ada"), b);
  assert.equal(third.runs, false);
  assert.equal((await call(of("bob"), b)).runs, true);
  await first?.end();
  await until("the third call runs", () => third.runs);
});

test("a call that waits ends when its signal aborts, and leaves no trace", async () => {
  const { bus, env } = node();
  const a = env("a");
  await bus.renewLease(a.lease.id);
  const held = await calls(2, of("ada"), a);
  for (let each = 0; each < 10; each++) {
    const end = new AbortController();
    const waiting = await call(of("ada"), a, end.signal);
    end.abort();
    assert.equal(await waiting.outcome, "UPSTREAM_TIMEOUT");
    assert.equal(waiting.runs, false);
  }
  for (const each of held) await each.end();
  assert.equal(running(await calls(3, of("ada"), a)), 2);
});

test("one person over many canvases runs ten calls in a process; another gets the next place", async () => {
  const { bus, env } = node({ processCalls: 11 });
  const a = env("a");
  await bus.renewLease(a.lease.id);
  const hostile: Running[] = [];
  for (let canvas = 0; canvas < 10; canvas++)
    hostile.push(...(await calls(2, of("eve", { canvasId: `${canvas}` }), a)));
  assert.equal(running(hostile), 10);
  await assert.rejects(call(of("eve", { canvasId: "one more" }), a), limited("CONNECTION_LIMIT", "1"));
  const own = await calls(2, of("ada"), a);
  assert.deepEqual([running(own), own[0]?.runs], [1, true]);
  await own[0]?.end();
  assert.equal(own[1]?.runs, true);
});

test("in a full process people take turns: who waits with one call does not wait for all calls of another", async () => {
  const { bus, env } = node({ processCalls: 3 });
  const a = env("a");
  await bus.renewLease(a.lease.id);
  const hostile: Running[] = [];
  for (let canvas = 0; canvas < 5; canvas++)
    hostile.push(...(await calls(2, of("eve", { canvasId: `${canvas}` }), a)));
  const own = await call(of("ada"), a);
  assert.deepEqual([running(hostile), own.runs], [3, false]);
  await hostile[0]?.end();
  assert.ok(own.runs || running(hostile) === 4);
  await hostile[1]?.end();
  assert.ok(own.runs);
});

test("the places of a node that has gone are free when its lease has expired", async () => {
  const { at, bus, env } = node();
  const [gone, b] = [env("gone"), env("b")];
  await bus.renewLease(gone.lease.id);
  for (const user of ["ada", "bob", "eve"]) await calls(2, of(user), gone);
  at.now += LEASE_MS - 1;
  await bus.renewLease(b.lease.id);
  assert.equal(await (await call(of("dan"), b)).outcome, "CONNECTION_LIMIT");
  at.now += 1;
  await bus.renewLease(b.lease.id);
  assert.equal(running(await calls(2, of("dan"), b)), 2);
});

test("the place of the process is given back if the canvas has none or the bus fails", async () => {
  const { bus, env } = node({ processCalls: 6 });
  const a = env("a");
  await bus.renewLease(a.lease.id);
  for (const user of ["ada", "bob"]) await calls(2, of(user), a);
  const last = await call(of("eve"), a);
  await times(10, async () => assert.equal(await (await call(of("dan"), a)).outcome, "CONNECTION_LIMIT"));
  const hold = async () => {
    throw new Error("the bus is away");
  };
  const cut = { ...a, bus: { ...bus, hold } };
  await times(10, async () => assert.match(await (await call(of("dan"), cut)).outcome, /the bus is away/));
  assert.ok((await call(of("dan", { canvasId: "hat" }), a)).runs);
  const next = await call(of("dan", { canvasId: "cup" }), a);
  assert.equal(next.runs, false);
  await last.end();
  assert.ok(next.runs);
});

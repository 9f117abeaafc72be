import assert from "node:assert/strict";
import { test } from "node:test";
import { Concurrency } from "../../async/concurrency.ts";
import { type Bus, LEASE_MS } from "../../drivers/bus/bus.ts";
import { memory } from "../../drivers/bus/memory.ts";
import type { Env } from "../../env.ts";
import { Refusal } from "../../http/refusal.ts";
import { type Caller, takePlaces, takeRates } from "./limits.ts";

const CALLER: Caller = { userId: "ada", canvasId: "tea", profile: "weather" };
const MINUTE_MS = 60_000;

/** A node on a bus of its own, at a time that the test sets. */
function node({ rateLimit = true, processCalls = 50 } = {}) {
  const at = { now: 1_000_000 };
  const bus: Bus = memory(() => at.now);
  const env = (lease: string) =>
    ({
      bus,
      lease,
      config: { rateLimit },
      outboundCalls: new Concurrency(processCalls),
      log: console,
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
  await times(60, () => takeRates(CALLER, a));
  at.now += MINUTE_MS - 1_500;
  await assert.rejects(takeRates(CALLER, a), limited("CONNECTION_RATE_LIMIT", "2"));
  for (const other of [{ userId: "bob" }, { canvasId: "hat" }, { profile: "news" }])
    await takeRates({ ...CALLER, ...other }, a);
  at.now += 1_500;
  await takeRates(CALLER, a);
});

test("600 calls a minute for all callers of a profile; one refused for them costs its caller nothing", async () => {
  const { at, env } = node();
  const a = env("a");
  for (let user = 0; user < 10; user++)
    await times(60, () => takeRates({ ...CALLER, userId: `u${user}` }, a));
  await times(100, () => assert.rejects(takeRates(CALLER, a), limited("CONNECTION_RATE_LIMIT", "60")));
  await takeRates({ ...CALLER, profile: "news" }, a);
  const { bus } = a;
  const own = { rateClass: "connection", owner: "ada", part: "tea weather" } as const;
  assert.equal((await bus.take(own, 60, MINUTE_MS)).remaining, 59);
  at.now += MINUTE_MS;
  await takeRates(CALLER, a);
});

test("a caller above the own rate does not use up that of the profile", async () => {
  const { env } = node();
  const a = env("a");
  await times(60, () => takeRates(CALLER, a));
  await times(600, () => assert.rejects(takeRates(CALLER, a)));
  await times(60, () => takeRates({ ...CALLER, userId: "bob" }, a));
});

test("without rate limits any number of calls", async () => {
  const { env } = node({ rateLimit: false });
  const a = env("a");
  await times(700, () => takeRates(CALLER, a));
});

test("five places of a canvas on all nodes; freed ones can be taken by any node", async () => {
  const { bus, env } = node();
  const [a, b] = [env("a"), env("b")];
  for (const { lease } of [a, b]) await bus.renewLease(lease);
  const frees = [await takePlaces(CALLER, a), await takePlaces(CALLER, b)];
  for (const each of [a, b, a]) frees.push(await takePlaces(CALLER, each));
  for (const each of [a, b]) await assert.rejects(takePlaces(CALLER, each), limited("CONNECTION_LIMIT", "1"));
  await takePlaces({ ...CALLER, canvasId: "hat" }, a);
  frees[0]?.();
  await takePlaces({ ...CALLER, profile: "news" }, b);
  await assert.rejects(takePlaces(CALLER, a));
});

test("the places of a node that has gone are free when its lease has expired", async () => {
  const { at, bus, env } = node();
  const [gone, b] = [env("gone"), env("b")];
  await bus.renewLease(gone.lease);
  await times(5, () => takePlaces(CALLER, gone));
  at.now += LEASE_MS - 1;
  await bus.renewLease(b.lease);
  await assert.rejects(takePlaces(CALLER, b));
  at.now += 1;
  await bus.renewLease(b.lease);
  await times(5, () => takePlaces(CALLER, b));
});

test("the places of the process are given back at the end, and if the canvas has none or the bus fails", async () => {
  const { bus, env } = node({ processCalls: 6 });
  const a = env("a");
  await bus.renewLease(a.lease);
  const frees = [];
  for (let each = 0; each < 5; each++) frees.push(await takePlaces(CALLER, a));
  await times(10, () => assert.rejects(takePlaces(CALLER, a)));
  const hold = async () => {
    throw new Error("the bus is away");
  };
  await times(10, () =>
    assert.rejects(takePlaces(CALLER, { ...a, bus: { ...bus, hold } }), /the bus is away/),
  );
  await takePlaces({ ...CALLER, canvasId: "hat" }, a);
  await assert.rejects(takePlaces({ ...CALLER, canvasId: "cup" }, a), limited("CONNECTION_LIMIT", "1"));
  frees[0]?.();
  await takePlaces({ ...CALLER, canvasId: "cup" }, a);
});

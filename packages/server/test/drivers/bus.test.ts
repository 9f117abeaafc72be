import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Bucket, type Bus, MAX_PARTS } from "../../src/drivers/bus/bus.ts";
import { memory } from "../../src/drivers/bus/memory.ts";
import { atEnd } from "../support/service.ts";
import { busContract } from "./bus-contract.ts";

busContract("memory", false, async (scope) => {
  let now = 1_000_000;
  const bus = memory(() => now);
  atEnd(scope, () => bus.close());
  return {
    bus,
    async pass(ms) {
      now += ms;
    },
  };
});

const take = async (bus: Bus, owner: string, more: Partial<Bucket> & { windowMs?: number } = {}) => {
  const { windowMs = 1000, ...bucket } = more;
  return (await bus.take({ rateClass: "canvas", owner, ...bucket }, 1, windowMs)).allowed;
};

describe("the bus in memory", () => {
  test("hasListeners is exact", async () => {
    const bus = memory();
    assert.equal(bus.hasListeners("a"), false);
    const stops = [await bus.subscribe("a", () => {}), await bus.subscribe("a", () => {})];
    assert.deepEqual([bus.hasListeners("a"), bus.hasListeners("b")], [true, false]);
    await stops[0]?.();
    assert.equal(bus.hasListeners("a"), true);
    await stops[1]?.();
    assert.equal(bus.hasListeners("a"), false);
  });

  test("past the limit of buckets, the oldest owner is evicted", async () => {
    const bus = memory(() => 0, 2);
    assert.deepEqual([await take(bus, "a"), await take(bus, "b")], [true, true]);
    assert.deepEqual([await take(bus, "a"), await take(bus, "b")], [false, false]);
    assert.equal(await take(bus, "c"), true);
    assert.deepEqual([await take(bus, "b"), await take(bus, "c")], [false, false]);
    assert.equal(await take(bus, "a"), true, "the oldest was evicted, so its bucket is new");
  });

  test("an owner with a new bucket is the newest", async () => {
    let now = 0;
    const bus = memory(() => now, 2);
    await take(bus, "a");
    now = 500;
    await take(bus, "b");
    now = 1000;
    await take(bus, "a");
    await take(bus, "c");
    assert.equal(await take(bus, "a"), false);
    assert.equal(await take(bus, "b"), true);
  });

  test("a bucket that is renewed evicts no other", async () => {
    let now = 0;
    const bus = memory(() => now, 2);
    await take(bus, "long", { windowMs: 5000 });
    await take(bus, "short", { windowMs: 100 });
    now = 200;
    assert.equal(await take(bus, "short", { windowMs: 100 }), true);
    assert.equal(await take(bus, "long", { windowMs: 5000 }), false);
  });

  test("a flood of new owners refuses none of them, and keeps as many buckets as the limit", async () => {
    const bus = memory(() => 0, 1000);
    for (let each = 0; each < 100_000; each++) assert.equal(await take(bus, `key ${each}`), true);
    const remembered = await Promise.all(
      Array.from({ length: 1000 }, (_, each) => take(bus, `key ${99_999 - each}`)),
    );
    assert.equal(remembered.filter(Boolean).length, 0);
    assert.equal(await take(bus, "key 98999"), true);
  });

  test("100,000 parts of one owner evict no other owner, and get the limit of parts and a shared bucket", async () => {
    const bus = memory(() => 0, 1000);
    const others = Array.from({ length: 700 }, (_, each) => `other ${each}`);
    for (const each of others) await take(bus, each);
    let passed = 0;
    for (let each = 0; each < 100_000; each++) if (await take(bus, "a", { part: `slug ${each}` })) passed++;
    assert.equal(passed, MAX_PARTS + 1);
    for (const each of others) assert.equal(await take(bus, each), false, each);
  });

  test("a flood in one class evicts no bucket of another", async () => {
    const bus = memory(() => 0, 1000);
    await take(bus, "a", { rateClass: "gate" });
    for (let each = 0; each < 10_000; each++) await take(bus, `key ${each}`);
    assert.equal(await take(bus, "a", { rateClass: "gate" }), false);
  });

  test("setting the system clock does not change the length of a window", async (t) => {
    const real = Date.now;
    let offset = 0;
    t.mock.method(Date, "now", () => real() + offset);
    const bus = memory();
    const bucket: Bucket = { rateClass: "canvas", owner: "a" };
    const hour = 3_600_000;
    const taken = [];
    for (offset of [0, -24 * hour, 24 * hour]) taken.push(await bus.take(bucket, 2, hour));
    assert.deepEqual(
      taken.map(({ allowed, remaining }) => [allowed, remaining]),
      [
        [true, 1],
        [true, 0],
        [false, 0],
      ],
    );
    for (const { resetMs } of taken) assert.ok(resetMs > 0 && resetMs <= hour, `${resetMs}`);
  });
});

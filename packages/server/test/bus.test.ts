import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memory } from "../src/drivers/bus/memory.ts";
import { busContract } from "./bus-contract.ts";
import { atEnd } from "./support.ts";

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

describe("the bus in memory", () => {
  test("keeps so many buckets and lets the oldest go", async () => {
    const bus = memory(() => 0, 2);
    const take = async (key: string) => (await bus.take(key, 1, 1000)).allowed;
    assert.deepEqual([await take("a"), await take("b")], [true, true]);
    assert.deepEqual([await take("a"), await take("b")], [false, false]);
    assert.equal(await take("c"), true);
    assert.deepEqual([await take("b"), await take("c")], [false, false]);
    assert.equal(await take("a"), true, "the oldest has gone, so it begins anew");
  });

  test("a bucket that begins anew is the youngest", async () => {
    let now = 0;
    const bus = memory(() => now, 2);
    await bus.take("a", 1, 1000);
    now = 500;
    await bus.take("b", 1, 1000);
    now = 1000;
    await bus.take("a", 1, 1000);
    await bus.take("c", 1, 1000);
    assert.equal((await bus.take("a", 1, 1000)).allowed, false);
    assert.equal((await bus.take("b", 1, 1000)).allowed, true);
  });

  test("a bucket that begins anew takes no other's place", async () => {
    let now = 0;
    const bus = memory(() => now, 2);
    await bus.take("long", 1, 5000);
    await bus.take("short", 1, 100);
    now = 200;
    assert.equal((await bus.take("short", 1, 100)).allowed, true);
    assert.equal((await bus.take("long", 1, 5000)).allowed, false);
  });

  test("a flood of new keys locks nobody out, and past the bound is forgotten", async () => {
    const bus = memory(() => 0, 1000);
    for (let each = 0; each < 100_000; each++) {
      assert.equal((await bus.take(`key ${each}`, 1, 60_000)).allowed, true);
    }
    const remembered = await Promise.all(
      Array.from({ length: 1000 }, (_, each) => bus.take(`key ${99_999 - each}`, 1, 60_000)),
    );
    assert.equal(remembered.filter(({ allowed }) => allowed).length, 0);
    assert.equal((await bus.take("key 98999", 1, 60_000)).allowed, true);
  });
});

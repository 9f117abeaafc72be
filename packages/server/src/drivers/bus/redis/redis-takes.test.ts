import assert from "node:assert/strict";
import { test } from "node:test";
import { RedisTakes } from "./redis-takes.ts";

/** Answers each bucket with its place in the call, its limit, the number of buckets of the call, and its window. */
function counted() {
  const calls: number[] = [];
  const takes = new RedisTakes(async (keys, values) => {
    calls.push(keys.length);
    return keys.flatMap((_, at) => [at, values[3 * at + 1], keys.length, values[3 * at + 2]]);
  });
  return { calls, takes };
}

test("the takes of one turn are one call, and each gets its own reply", async () => {
  const { calls, takes } = counted();
  const replies = await Promise.all([1, 2, 3].map((limit) => takes.take("k", "p", limit, 10 * limit)));
  assert.deepEqual(replies, [
    [0, 1, 3, 10],
    [1, 2, 3, 20],
    [2, 3, 3, 30],
  ]);
  await takes.take("k", "p", 4, 40);
  assert.deepEqual(calls, [3, 1]);
});

test("a call has at most 64 takes", async () => {
  const { calls, takes } = counted();
  await Promise.all(Array.from({ length: 150 }, () => takes.take("k", "p", 1, 1)));
  assert.deepEqual(calls, [64, 64, 22]);
});

test("the takes of a call that fails are rejected with its error, and no others", async () => {
  let fails = true;
  const takes = new RedisTakes(async () => {
    if (fails) throw new Error("away");
    return [1, 0, 0, 1];
  });
  const results = await Promise.allSettled([takes.take("k", "p", 1, 1), takes.take("k", "p", 1, 1)]);
  assert.deepEqual(
    results.map((each) => each.status === "rejected" && (each.reason as Error).message),
    ["away", "away"],
  );
  fails = false;
  assert.deepEqual(await takes.take("k", "p", 1, 1), [1, 0, 0, 1]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Value } from "./db.ts";
import { StatementCache } from "./statements.ts";

/**
 * Creates a cache and counts its misses, which `asked` returns. `getCached` looks up a list of values in the cache. If they are not there,
 * it caches `{ values }` for them.
 */
function counting() {
  const cache = new StatementCache();
  let asked = 0;
  const getCached = (...values: Value[]) =>
    cache.getCached(values, () => {
      asked++;
      return { values };
    });
  return { cache, getCached, asked: () => asked };
}

/** Lists of values, grouped by their length. No two lists of a group may share a cache entry. */
const statements: Value[][][] = [
  [[]],
  [["a"], ["b"], [""], [null], [1], [0], [-1.5]],
  [
    ["a", "b"],
    ["b", "a"],
    ["ab", ""],
    ["", "ab"],
    ["a", null],
    [null, "a"],
    [null, null],
  ],
];

for (const lists of statements) {
  test(`has one miss for each list of ${lists[0]?.length} values`, () => {
    const { getCached, asked } = counting();
    for (const values of [...lists, ...lists]) assert.deepEqual(getCached(...values), { values });
    assert.equal(asked(), lists.length);
  });
}

test("bytes are compared by content", () => {
  const { getCached, asked } = counting();
  const whole = Uint8Array.of(9, 1, 2, 9);
  getCached(Uint8Array.of(1, 2));
  getCached(Buffer.of(1, 2));
  getCached(whole.subarray(1, 3));
  assert.equal(asked(), 1);
  getCached(Uint8Array.of(2, 1));
  getCached(Uint8Array.of(0xc3, 0xa9));
  getCached(Uint8Array.of(0xe9));
  getCached(Uint8Array.of(0xff));
  getCached(Uint8Array.of(0xfe));
  assert.equal(asked(), 6);
});

test("a missing row is cached", () => {
  const cache = new StatementCache();
  assert.equal(
    cache.getCached(["a"], () => undefined),
    undefined,
  );
  assert.equal(
    cache.getCached(["a"], () => assert.fail()),
    undefined,
  );
});

test("rows are frozen", () => {
  const { getCached } = counting();
  assert.throws(() => Object.assign(getCached("a") as object, { values: [] }), TypeError);
});

test("after clear, every value is a miss", () => {
  const { cache, getCached, asked } = counting();
  getCached("a");
  cache.clear();
  getCached("a");
  assert.equal(asked(), 2);
});

test("an error is not cached", () => {
  const { cache, getCached, asked } = counting();
  const failing = () => {
    throw new Error("disk");
  };
  assert.throws(() => cache.getCached(["a", "b"], failing), /disk/);
  getCached("a", "b");
  assert.equal(asked(), 1);
});

test("past the limit of rows the cache is cleared, and results stay right", () => {
  const { getCached, asked } = counting();
  for (let each = 0; each < 25_000; each++)
    assert.deepEqual(getCached("flood", each), { values: ["flood", each] });
  for (let each = 0; each < 25_000; each++)
    assert.deepEqual(getCached("flood", each), { values: ["flood", each] });
  assert.ok(asked() > 30_000);
});

test("a cache without capacity looks up every row again", () => {
  let asked = 0;
  const cache = new StatementCache(0);
  for (const values of [["a", "b"], ["a", "b"], ["a"], ["a"], [], []])
    assert.equal(
      cache.getCached(values, () => ++asked),
      asked,
    );
  assert.equal(asked, 6);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MANY, times } from "../../drivers/databases.ts";
import { LIMIT, onStores } from "./kv-stores.ts";

const MAX = Number.MAX_VALUE;
/** The smallest amount that overflows when it is added to the greatest double. A smaller amount is rounded away. */
const HALF_STEP = 2 ** 970;

await onStores("increments in the key-value store", (open) => {
  test("no concurrent increment is lost", async () => {
    const { store, counted } = open();
    const seen = await times(MANY, () => store.increment("a", 1, LIMIT));
    assert.deepEqual(new Set(seen), new Set(Array.from({ length: MANY }, (_, index) => index + 1)));
    await times(MANY, (index) => store.increment("a", index % 2 === 0 ? 0.5 : -0.5, LIMIT));
    assert.deepEqual([(await store.get("a"))?.number, ...(await counted())], [MANY, 1, 1]);
  });

  /** The stored number, the amount, and the sum in JavaScript; null where it is not finite. */
  const sums: [there: number, by: number, sum: number | null][] = [
    [0.1, 0.2, 0.30000000000000004],
    [5e-324, 5e-324, 1e-323],
    [5e-324, -5e-324, 0],
    [MAX, MAX, null],
    [-MAX, -MAX, null],
    [MAX, -MAX, 0],
    [MAX, 1e291, MAX],
    [MAX, HALF_STEP, null],
    [MAX, HALF_STEP * (1 - Number.EPSILON), MAX],
    [-MAX, -HALF_STEP, null],
    [HALF_STEP, MAX, null],
    [MAX, 5e-324, MAX],
    [5e-324, MAX, MAX],
    [MAX / 2, MAX / 2, MAX],
    [1e308, 1e308, null],
    [9.99e290, MAX, MAX],
    [1e291, MAX, MAX],
    [2 ** 53, 1, 2 ** 53],
    [2 ** 53, 2, 2 ** 53 + 2],
  ];
  for (const [there, by, sum] of sums) {
    test(`${there} + ${by} is ${sum ?? "refused"}`, async () => {
      const { store } = open();
      await store.put("a", { value: null, number: there }, LIMIT);
      assert.equal(Number.isFinite(there + by) ? there + by : null, sum);
      assert.equal(await store.increment("a", by, LIMIT), sum ?? "NOT_NUMERIC");
      assert.deepEqual(await store.get("a"), { value: null, number: sum ?? there });
    });
  }

  test("any two numbers add up as in JavaScript, or are refused if the sum is not finite", async () => {
    const near = fc.constantFrom(MAX, -MAX, MAX / 2, HALF_STEP, -HALF_STEP, 1e291, 9.99e290, 5e-324, 0, 1);
    const number = fc.oneof(near, fc.double({ noNaN: true, noDefaultInfinity: true }));
    await fc.assert(
      fc.asyncProperty(number, number, async (there, by) => {
        const { store } = open();
        assert.equal(await store.increment("a", there, LIMIT), there + 0);
        const sum = there + by;
        assert.equal(await store.increment("a", by, LIMIT), Number.isFinite(sum) ? sum + 0 : "NOT_NUMERIC");
      }),
      { numRuns: 150 },
    );
  });

  test("values other than numbers are not incremented, stored null included", async () => {
    const { store } = open();
    for (const value of ['"1"', "true", "null", "[1]", "{}"]) {
      await store.put("a", { value, number: null }, LIMIT);
      assert.equal(await store.increment("a", 1, LIMIT), "NOT_NUMERIC");
      assert.deepEqual(await store.get("a"), { value, number: null });
    }
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { firstValue, pageLimit, type Query } from "./query.ts";

const values: [given: Query[string], value: string | undefined][] = [
  [undefined, undefined],
  ["", undefined],
  ["a", "a"],
  [["a", "b"], "a"],
  [["", "b"], undefined],
  [[], undefined],
];
for (const [given, value] of values) {
  test(`${JSON.stringify(given)} is ${value}`, () =>
    assert.equal(firstValue({ name: given }, "name"), value));
}

/** Values of `limit`. A number is clamped to the range 1 to 1,000; any other value results in the default, 100 (specification 4.3). */
const limits: [given: Query[string], limit: number][] = [
  [undefined, 100],
  ["", 100],
  ["ten", 100],
  ["10 keys", 100],
  ["NaN", 100],
  ["0", 1],
  ["-5", 1],
  ["-Infinity", 1],
  ["1", 1],
  ["7", 7],
  ["7.9", 7],
  ["1000", 1000],
  ["1001", 1000],
  ["1e9", 1000],
  ["Infinity", 1000],
  [["7", "8"], 7],
  [" ", 100],
];
for (const [given, limit] of limits) {
  test(`limit ${JSON.stringify(given)} is ${limit}`, () =>
    assert.equal(pageLimit(given === undefined ? {} : { limit: given }), limit));
}

test("any text gives an integer from 1 to 1,000", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double().map(String)), (limit) => {
      const found = pageLimit({ limit });
      assert.ok(Number.isInteger(found) && found >= 1 && found <= 1000, `${found}`);
    }),
  );
});

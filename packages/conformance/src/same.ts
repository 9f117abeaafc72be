import assert from "node:assert/strict";

/** Asserts that two values are equal as JSON: minus zero is zero, and the order of names counts. */
export function same(actual: unknown, expected: unknown): void {
  assert.equal(JSON.stringify(actual), JSON.stringify(expected));
}

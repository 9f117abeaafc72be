import assert from "node:assert/strict";

/** Asserts that two values are equal as JSON. Minus zero equals zero, and the order of names counts. */
export function same(actual: unknown, expected: unknown): void {
  assert.equal(JSON.stringify(actual), JSON.stringify(expected));
}

import assert from "node:assert/strict";

/** Asserts that two values have the same JSON text. So the order of properties counts, and minus zero equals zero. */
export function same(actual: unknown, expected: unknown): void {
  assert.equal(JSON.stringify(actual), JSON.stringify(expected));
}

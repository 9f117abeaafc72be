import assert from "node:assert/strict";

/** Equal as JSON: minus zero is zero, names keep their order. */
export function same(actual: unknown, expected: unknown): void {
  assert.equal(JSON.stringify(actual), JSON.stringify(expected));
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isId, isToken, newId, newToken, tokenHash } from "./ids.ts";

test("ids are ids, and sort by the millisecond they were made in", async () => {
  const made: string[] = [];
  for (let each = 0; each < 20; each++) {
    made.push(newId());
    await sleep(2);
  }
  assert.ok(made.every(isId));
  assert.deepEqual(made.toSorted(), made);
});

test("tokens are tokens, each another; of one only its hash is kept", () => {
  const tokens = Array.from({ length: 100 }, newToken);
  assert.ok(tokens.every(isToken));
  assert.equal(new Set(tokens).size, 100);
  assert.notEqual(tokenHash(tokens[0] as string), tokens[0]);
});

for (const text of ["", "x", "x".repeat(42), "x".repeat(44), "x".repeat(16_000), `${"x".repeat(42)}é`]) {
  test(`a text of ${text.length} characters that we did not make is no token`, () => {
    assert.equal(isToken(text), false);
  });
}

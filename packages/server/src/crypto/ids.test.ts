import assert from "node:assert/strict";
import { test } from "node:test";
import { isId, isToken, newId, newToken, tokenHash } from "./ids.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const timeOf = (id: string) => Number.parseInt(id.slice(0, 13).replace("-", ""), 16);

test("newId returns distinct UUIDv7s, which sort in the order of their creation", () => {
  const from = Date.now();
  const made = Array.from({ length: 50_000 }, newId);
  assert.ok(made.every((id) => isId(id) && UUID.test(id)));
  assert.equal(new Set(made).size, made.length);
  assert.deepEqual(made.toSorted(), made);
  assert.ok(timeOf(made[0] ?? "") >= from);
});

test("an id contains the millisecond of its creation, or the latest one when the clock is set back", (t) => {
  const latest = timeOf(newId());
  t.mock.timers.enable({ apis: ["Date"], now: latest + 60_000 });
  assert.equal(timeOf(newId()), latest + 60_000);
  t.mock.timers.setTime(latest);
  const [one, other] = [newId(), newId()];
  assert.ok(one < other && timeOf(one) === latest + 60_000);
});

test("newToken returns distinct tokens; the hash differs from the token", () => {
  const tokens = Array.from({ length: 100 }, newToken);
  assert.ok(tokens.every(isToken));
  assert.equal(new Set(tokens).size, 100);
  assert.notEqual(tokenHash(tokens[0] as string), tokens[0]);
});

for (const text of ["", "x", "x".repeat(42), "x".repeat(44), "x".repeat(16_000), `${"x".repeat(42)}é`]) {
  test(`a text of ${text.length} characters is no token`, () => {
    assert.equal(isToken(text), false);
  });
}

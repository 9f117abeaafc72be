import assert from "node:assert/strict";
import { test } from "node:test";
import { Tally } from "./outbound-calls.ts";

test("calls and durations are added up by key, and taken once", () => {
  const tally = new Tally();
  tally.add(["a", 1], 1, 10);
  tally.add(["a", 1], 2, 5);
  tally.add(["a", 2], 1, 7);
  assert.deepEqual(tally.take(), [
    { key: ["a", 1], calls: 3, ms: 15 },
    { key: ["a", 2], calls: 1, ms: 7 },
  ]);
  assert.deepEqual(tally.take(), []);
  tally.add(["a", 1], 1, 1);
  assert.deepEqual(tally.take(), [{ key: ["a", 1], calls: 1, ms: 1 }]);
});

test("keys whose parts look alike when joined are different keys", () => {
  const tally = new Tally();
  const keys = [["a", "b"], ["a,b"], ["ab"], ["a", "b", ""], ["a\u0000b"], ["1"], [1], ['a","b']];
  for (const key of keys) tally.add(key, 1, 1);
  assert.deepEqual(
    tally.take().map(({ key }) => key),
    keys,
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Sample } from "./sampled.ts";

test("the first five events of a key in a minute are kept; others are counted until the next minute", () => {
  const sample = new Sample();
  const kept = Array.from({ length: 8 }, () => sample.take("ada", 60_000).kept);
  assert.deepEqual(kept, [true, true, true, true, true, false, false, false]);
  assert.deepEqual(sample.take("bob", 119_999), { kept: true, leftOut: 0 });
  assert.deepEqual(sample.take("ada", 120_000), { kept: true, leftOut: 3 });
  assert.deepEqual(sample.take("ada", 120_001), { kept: true, leftOut: 0 });
});

test("of a minute, 500 keys are kept: a crowd of callers takes no more memory", () => {
  const sample = new Sample();
  const kept = Array.from({ length: 600 }, (_, index) => sample.take(String(index), 0).kept);
  assert.equal(kept.filter(Boolean).length, 500);
  assert.ok(sample.take("499", 1).kept);
  assert.equal(sample.take("599", 1).kept, false);
  assert.deepEqual(sample.take("599", 60_000), { kept: true, leftOut: 101 });
});

test("a clock that is set back begins a new minute", () => {
  const sample = new Sample();
  for (let times = 0; times < 6; times++) sample.take("ada", 600_000);
  assert.deepEqual(sample.take("ada", 0), { kept: true, leftOut: 1 });
});

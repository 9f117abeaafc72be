import assert from "node:assert/strict";
import { test } from "node:test";
import { RANGES, rangeIn } from "./ranges.ts";
import { parseSpendSearch } from "./search.ts";

const NOW = Date.parse("2026-03-05T10:00:00Z");

test("an address keeps days that exist, and ranges that begin before they end", () => {
  const days = { from: "2026-01-31", to: "2026-02-01" };
  assert.deepEqual(parseSpendSearch({ ...days, all: "people" }), { ...days, all: "people" });
  assert.deepEqual(parseSpendSearch({ from: "2026-02-30", to: 5 }), {
    from: undefined,
    to: undefined,
    all: undefined,
  });
  assert.deepEqual(parseSpendSearch({ from: "2026-02-02", to: "2026-02-01", all: "x" }), {
    from: undefined,
    to: undefined,
    all: undefined,
  });
});

test("the offered ranges are found again in an address", () => {
  for (const { value, rangeOf } of RANGES) assert.equal(rangeIn(rangeOf(NOW), NOW), value);
  assert.deepEqual(RANGES[1]?.rangeOf(NOW), { from: "2026-02-01", to: "2026-02-28" });
  assert.deepEqual(RANGES[2]?.rangeOf(NOW), { from: "2026-02-04", to: "2026-03-05" });
  assert.equal(rangeIn({ from: "2026-01-01", to: "2026-01-02" }, NOW), "own");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Concurrency } from "./concurrency.ts";

test("each holder has its own limit, and an operation that has ended no longer counts", () => {
  const concurrency = new Concurrency(2);
  const ends = [concurrency.begin("ada"), concurrency.begin("ada")];
  assert.equal(concurrency.begin("ada"), null);
  assert.notEqual(concurrency.begin("bob"), null);
  ends[0]?.();
  assert.notEqual(concurrency.begin("ada"), null);
  assert.equal(concurrency.begin("ada"), null);
});

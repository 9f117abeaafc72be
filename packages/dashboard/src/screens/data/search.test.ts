import assert from "node:assert/strict";
import { it } from "node:test";
import { parseDataSearch, partsOfShow, showOf } from "./search.ts";

it("what is shown stands in the address, with names that have colons", () => {
  for (const [part, name] of [
    ["keys", ""],
    ["collection", "ideas"],
    ["collection", "a:b:c"],
  ] as const)
    assert.deepEqual(partsOfShow(showOf(part, name)), { part, name });
});

it("an address that somebody has written shows what it can", () => {
  assert.deepEqual(parseDataSearch({ show: 12, other: "x" }), { show: "12" });
  for (const show of ["", null, ["a"], { a: 1 }, undefined])
    assert.deepEqual(parseDataSearch({ show }), { show: undefined });
  assert.equal(parseDataSearch({ show: "x".repeat(5_000) }).show?.length, 400);
});

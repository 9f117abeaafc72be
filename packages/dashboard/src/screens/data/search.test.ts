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
  assert.equal(parseDataSearch({ show: 12, other: "x" }).show, "12");
  assert.ok(!("other" in parseDataSearch({ other: "x" })));
  for (const none of ["", null, ["a"], { a: 1 }, undefined])
    for (const name of ["show", "record", "order", "columns"] as const)
      assert.equal(parseDataSearch({ [name]: none })[name], undefined);
  for (const where of ["text", 7, null, undefined]) assert.equal(parseDataSearch({ where }).where, undefined);
  assert.deepEqual(parseDataSearch({ where: { "value.a": 1 } }).where, { "value.a": 1 });
  assert.equal(parseDataSearch({ show: "x".repeat(5_000) }).show?.length, 2_000);
});

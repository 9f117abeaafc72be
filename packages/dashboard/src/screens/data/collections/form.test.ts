import assert from "node:assert/strict";
import { it } from "node:test";
import type { Json } from "@easel/protocol/types";
import { bytesOfValue, differences, formOf, isSame, merged, newField, valueOfForm } from "./form.ts";

it("a flat object has a form, and comes back from it as it was", () => {
  const value = JSON.parse(
    '{"title":"Tea","votes":-0.5,"done":true,"note":null,"__proto__":"x","":"empty name"}',
  );
  const { "": _, ...named } = value;
  const fields = formOf(named) ?? assert.fail();
  assert.deepEqual(valueOfForm(fields), { value: named, faults: new Map() });
  assert.equal(Object.getPrototypeOf(valueOfForm(fields).value), Object.prototype);
});

it("a field that was there before keeps its key, and with it the focus", () => {
  const before = formOf({ a: 1, b: 2 }) ?? assert.fail();
  const [b, c, a] = formOf({ b: 3, c: 4, a: "x" }, before) ?? assert.fail();
  assert.deepEqual([a?.key, b?.key], [before[0]?.key, before[1]?.key]);
  assert.ok(!before.some(({ key }) => key === c?.key));
});

it("other values have none", () => {
  const many = Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`f${index}`, 1]));
  for (const value of [null, 7, "text", [], { a: {} }, { a: [] }, many, { a: "x".repeat(10_001) }])
    assert.equal(formOf(value), null);
  assert.deepEqual(formOf({}), []);
});

it("what is wrong with a field is told at the field", () => {
  const fields = [
    newField("a"),
    newField("a"),
    newField(""),
    { ...newField("n", "number"), text: "twelve" },
    { ...newField("m", "number"), text: " " },
    { ...newField("i", "number"), text: "1e999" },
  ];
  const { faults } = valueOfForm(fields);
  assert.deepEqual(
    fields.map(({ key }) => faults.has(key)),
    [false, true, true, true, true, true],
  );
});

it("equal values are equal whatever the order of their fields", () => {
  assert.ok(isSame({ a: [1, { b: null }], c: "x" }, { c: "x", a: [1, { b: null }] }));
  const unequal: [Json | undefined, Json | undefined][] = [
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: 1 }, { b: 1 }],
    [[], {}],
    [null, {}],
    ["1", 1],
    [undefined, null],
  ];
  for (const [one, other] of unequal) assert.ok(!isSame(one, other));
});

it("keeping mine keeps what I changed, and takes what only somebody else changed", () => {
  const base = { title: "Tea", votes: 1, note: "old" };
  const mine = { title: "Green tea", votes: 1 };
  const theirs = { title: "Tea", votes: 2, note: "old", place: "here" };
  assert.deepEqual(merged(base, mine, theirs), { title: "Green tea", votes: 2, place: "here" });
  assert.deepEqual(merged(1, 2, 3), 2);
  assert.deepEqual(merged({ a: 1 }, [1], { a: 2 }), [1]);
});

it("the differences of two versions are the fields that differ", () => {
  assert.deepEqual(differences({ a: 1, b: 2 }, { a: 1, b: 3, c: null }), [
    { name: "b", mine: 2, theirs: 3 },
    { name: "c", mine: undefined, theirs: null },
  ]);
  assert.equal(differences("a", "b"), null);
});

it("the size of a value is that of its JSON in UTF-8", () => {
  assert.equal(bytesOfValue({ a: "شاي" }), 14);
});

import assert from "node:assert/strict";
import { it } from "node:test";
import type { Json } from "@easel/protocol/types";
import {
  cellText,
  columnsIn,
  columnsOfText,
  inColumn,
  nameOf,
  shownAtFirst,
  textOfColumns,
} from "./columns.ts";

it("columns are the fields of values, the most frequent first, with the kinds of their values", () => {
  const values: Json[] = [
    { title: "a", votes: 1 },
    { title: "b", votes: "2", place: {} },
    { title: "c", votes: 3, tags: [] },
  ];
  assert.deepEqual(columnsIn(values), [
    { id: "value.title", kinds: ["text"], share: 1 },
    { id: "value.votes", kinds: ["number", "text"], share: 1 },
    { id: "value.place", kinds: ["object"], share: 1 / 3 },
    { id: "value.tags", kinds: ["list"], share: 1 / 3 },
  ]);
});

it("the whole value is a column if some values are no objects", () => {
  assert.deepEqual(columnsIn([{ title: "a" }, 7, 8, null]), [
    { id: "value", kinds: ["number", "null"], share: 0.75 },
    { id: "value.title", kinds: ["text"], share: 0.25 },
  ]);
  assert.equal(inColumn(7, "value"), 7);
  assert.equal(inColumn({ title: "a" }, "value"), undefined);
  assert.equal(inColumn(null, "value"), null);
});

it("only the first 200 values count, and the first six fields are shown at first", () => {
  const values = Array.from({ length: 300 }, (_, index): Json => (index < 200 ? { early: 1 } : { late: 1 }));
  assert.deepEqual(
    columnsIn(values).map(({ id }) => id),
    ["value.early"],
  );
  const many = columnsIn([Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, 1]))]);
  assert.equal(many.length, 20);
  assert.equal(shownAtFirst(many).length, 8);
});

it("fields that objects inherit are no fields of a value", () => {
  assert.equal(inColumn({ a: 1 }, "value.constructor"), undefined);
  const hostile = JSON.parse('{"__proto__": "x", "constructor": 1}');
  assert.deepEqual(
    columnsIn([hostile]).map(({ id }) => id),
    ["value.__proto__", "value.constructor"],
  );
  assert.equal(inColumn(hostile, "value.__proto__"), "x");
});

it("a cell has at most 200 characters, and no half of one", () => {
  assert.equal(cellText("x".repeat(200)), "x".repeat(200));
  assert.equal(cellText("x".repeat(65_536)).length, 200);
  assert.ok(cellText(`${"x".repeat(198)}😀😀`).isWellFormed());
  assert.ok(cellText(`${"x".repeat(197)}😀😀`).isWellFormed());
  assert.equal(cellText({ a: [1, "b"] }), '{"a":[1,"b"]}');
});

it("where the kind changes from record to record, a text is not taken for a number", () => {
  assert.equal(cellText("12", true), '"12"');
  assert.equal(cellText(12, true), "12");
  assert.equal(cellText("12"), "12");
});

it("a record is named by its first text", () => {
  assert.equal(nameOf({ votes: 3, title: "Tea" }), "Tea");
  assert.equal(nameOf({ votes: 3 }), "3");
  assert.equal(nameOf({}), "Empty record");
  assert.equal(nameOf("bare"), "bare");
});

it("the columns of an address are those that it can have", () => {
  const columns = ["value.a,b", "value.c d", "authorId", "updatedAt", "value"];
  assert.deepEqual(columnsOfText(textOfColumns(columns)), columns);
  assert.deepEqual(columnsOfText("value.x,value.x,nonsense,value.,%E0%A4%A"), ["value.x"]);
  for (const none of [undefined, "", "nonsense", "value."]) assert.equal(columnsOfText(none), null);
});

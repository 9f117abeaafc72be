import assert from "node:assert/strict";
import { it } from "node:test";
import {
  type Condition,
  codeOf,
  conditionsOf,
  meets,
  orderOfText,
  whereOf,
  withCondition,
} from "./conditions.ts";

const votes: Condition = { column: "value.votes", comparison: "gte", value: 3 };
const less: Condition = { column: "value.votes", comparison: "lt", value: 9 };
const author: Condition = { column: "authorId", comparison: "eq", value: "u1" };

it("conditions become the `where` of the API, and come back from an address", () => {
  assert.equal(whereOf([]), undefined);
  assert.deepEqual(whereOf([votes, less, author]), { "value.votes": { gte: 3, lt: 9 }, authorId: "u1" });
  assert.deepEqual(conditionsOf(whereOf([votes, less, author])), [votes, less, author]);
  assert.deepEqual(conditionsOf({ "value.a": null, "value.b": { eq: "x" } }), [
    { column: "value.a", comparison: "eq", value: null },
    { column: "value.b", comparison: "eq", value: "x" },
  ]);
});

it("of an address that somebody has written, only what the API takes is left", () => {
  for (const given of [undefined, {}, [], ["value.a"], { updatedAt: 1 }, { "value.": 1 }, { "value.a": [1] }])
    assert.deepEqual(conditionsOf(given), []);
  assert.deepEqual(conditionsOf({ "value.a": { near: 1, startsWith: 7, lt: {} } }), []);
  assert.equal(conditionsOf({ "value.a": 1, "value.b": 1, "value.c": 1, "value.d": 1 }).length, 3);
});

it("a condition replaces one that compares the same in the same way", () => {
  assert.deepEqual(withCondition([votes, less], { ...votes, value: 5 }), [less, { ...votes, value: 5 }]);
});

it("a new record is told only if it meets the conditions, by the rules of the API", () => {
  const record = { authorId: "u1", value: { votes: 4, title: "Tea", none: null } };
  assert.ok(meets(record, [votes, less, author]));
  assert.ok(!meets({ ...record, authorId: "u2" }, [author]));
  assert.ok(!meets({ ...record, value: { votes: "4" } }, [votes]), "a text is not compared with a number");
  assert.ok(!meets({ ...record, value: 4 }, [votes]));
  assert.ok(meets(record, [{ column: "value.title", comparison: "startsWith", value: "Te" }]));
  assert.ok(meets(record, [{ column: "value.none", comparison: "eq", value: null }]));
  assert.ok(!meets(record, [{ column: "value.missing", comparison: "eq", value: null }]));
  assert.ok(!meets(record, [{ column: "value.constructor", comparison: "eq", value: null }]));
});

it("the order of an address is one of the API, or else the newest first", () => {
  for (const order of ["createdAt", "-updatedAt", "value.title", "-value.a b"])
    assert.equal(orderOfText(order), order);
  for (const none of [undefined, "", "-", "authorId", "value.", "--createdAt", "title"])
    assert.equal(orderOfText(none), "-createdAt");
});

it("the code reads what the screen shows", () => {
  assert.equal(
    codeOf("ideas", [votes], "-createdAt"),
    'await easel.kv.collection("ideas").list({"where":{"value.votes":{"gte":3}},"orderBy":"-createdAt"});',
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { createEasel, NotFoundError } from "../src/index.ts";
import { fakeFetch, page } from "./support.ts";

/** Creates an SDK whose requests all get the same response. Returns it with the collection `ideas` and the list of requests. */
function answered(body: unknown, status = 200) {
  const { fetch, calls } = fakeFetch(() => Response.json(body, { status }));
  const easel = createEasel({ ...page, fetch });
  return { ideas: easel.kv.collection("ideas"), easel, calls };
}

const invalid = { name: "EaselError", code: "INVALID_BODY", status: 400 };

test("each call sends one request of the contract", async () => {
  const answer = { id: "r-1", value: 3, entries: [], nextCursor: null, count: 4, deleted: 5, read: {} };
  const { ideas, calls } = answered(answer);
  assert.deepEqual(await ideas.create({ title: "Tea" }), answer);
  await ideas.create(null);
  assert.deepEqual(await ideas.get("r-1"), answer);
  assert.deepEqual(await ideas.update("r-1", [1]), answer);
  assert.equal(await ideas.delete("r-1"), undefined);
  assert.deepEqual(await ideas.list(), answer);
  const where = { "value.votes": { gte: 3 }, authorId: "u-1" };
  await ideas.list({ cursor: "r-1", limit: 2, where, orderBy: "-updatedAt" });
  assert.equal(await ideas.increment("r-1"), 3);
  await ideas.increment("r-1", -2.5);
  assert.equal(await ideas.count(), 4);
  assert.equal(await ideas.count({ where }), 4);
  assert.deepEqual(await ideas.permissions(), answer);
  assert.equal(await ideas.clear(), 5);
  const filter = encodeURIComponent(JSON.stringify(where)).replaceAll("%20", "+");
  assert.deepEqual(
    calls.map(({ path, init }) => [init.method, path, init.body]),
    [
      ["POST", "/collections/ideas", '{"title":"Tea"}'],
      ["POST", "/collections/ideas", "null"],
      ["GET", "/collections/ideas/r-1?optional=true", undefined],
      ["PUT", "/collections/ideas/r-1", "[1]"],
      ["DELETE", "/collections/ideas/r-1", undefined],
      ["GET", "/collections/ideas", undefined],
      ["GET", `/collections/ideas?cursor=r-1&limit=2&where=${filter}&orderBy=-updatedAt`, undefined],
      ["POST", "/collections/ideas/r-1/increment", '{"by":1}'],
      ["POST", "/collections/ideas/r-1/increment", '{"by":-2.5}'],
      ["GET", "/collections/ideas/count", undefined],
      ["GET", `/collections/ideas/count?where=${filter}`, undefined],
      ["GET", "/collections/ideas/permissions", undefined],
      ["DELETE", "/collections/ideas", undefined],
    ],
  );
});

test("`get` resolves with undefined for a missing record, and throws for a missing collection", async () => {
  assert.equal(await answered({ code: "NOT_FOUND" }, 404).ideas.get("r-1"), undefined);
  await assert.rejects(answered({ code: "COLLECTION_NOT_CONFIGURED" }, 404).ideas.get("r-1"), NotFoundError);
});

test("invalid arguments are refused before anything is sent", async () => {
  const { ideas, easel, calls } = answered({});
  await assert.rejects(easel.kv.collection("").list(), invalid);
  await assert.rejects(easel.kv.collection("..").create(1), invalid);
  for (const id of ["", ".", "..", "count", "permissions", "\ud800"])
    await assert.rejects(ideas.get(id), invalid);
  for (const by of [Number.NaN, Number.POSITIVE_INFINITY])
    await assert.rejects(ideas.increment("r-1", by), invalid);
  const noJson: unknown[] = [undefined, Number.NaN, -1 / 0, 1n, () => 1, Symbol("a")];
  for (const value of noJson as string[]) {
    await assert.rejects(ideas.create(value), invalid);
    await assert.rejects(ideas.list({ where: { authorId: value } }), invalid);
    await assert.rejects(ideas.count({ where: { authorId: value } }), invalid);
    await assert.rejects(ideas.list({ where: { "value.n": { gte: 1, lt: value } } }), invalid);
  }
  assert.deepEqual(calls, []);
});

test("`expectedUpdatedAt` makes a write conditional, and the error has the record as it is now", async () => {
  const record = { id: "r-1", authorId: "u-1", value: "theirs", updatedAt: 8 };
  const { ideas, calls } = answered({ code: "RECORD_CHANGED", message: "Changed.", record }, 412);
  const changed = { name: "EaselError", code: "RECORD_CHANGED", status: 412, record };
  await assert.rejects(ideas.update("r-1", "mine", { expectedUpdatedAt: 7 }), changed);
  await assert.rejects(ideas.delete("r-1", { expectedUpdatedAt: 7 }), changed);
  await assert.rejects(ideas.update("r-1", "mine", {}), changed);
  await assert.rejects(ideas.delete("r-1", { expectedUpdatedAt: undefined }), changed);
  assert.deepEqual(
    calls.map(({ init }) => [init.method, new Headers(init.headers).get("if-match"), init.body]),
    [
      ["PUT", '"7"', '"mine"'],
      ["DELETE", '"7"', undefined],
      ["PUT", null, '"mine"'],
      ["DELETE", null, undefined],
    ],
  );
  for (const expectedUpdatedAt of [Number.NaN, 1.5, "7" as never, null as never]) {
    await assert.rejects(ideas.update("r-1", 1, { expectedUpdatedAt }), invalid);
    await assert.rejects(ideas.delete("r-1", { expectedUpdatedAt }), invalid);
  }
  assert.equal(calls.length, 4);
});

import assert from "node:assert/strict";
import { it } from "node:test";
import { parseListSearch } from "./list-search.ts";

const NOTHING = { list: undefined, q: undefined, state: undefined, tag: undefined, sort: undefined };

it("an address of the list keeps what it knows, without the defaults", () => {
  assert.deepEqual(parseListSearch({ list: "mine", sort: "updated", q: "" }), NOTHING);
  const all = { list: "trash", q: "tea", state: "draft", tag: "food", sort: "title" };
  assert.deepEqual(parseListSearch(all), all);
});

it("an address that anybody wrote is read as far as it makes sense", () => {
  assert.deepEqual(
    parseListSearch({ list: "all", sort: ["title"], state: "__proto__", tag: {}, x: 1 }),
    NOTHING,
  );
  assert.deepEqual(parseListSearch({ q: 12, tag: true }), { ...NOTHING, q: "12", tag: "true" });
  assert.equal(parseListSearch({ q: "a".repeat(1_000) }).q?.length, 200);
});

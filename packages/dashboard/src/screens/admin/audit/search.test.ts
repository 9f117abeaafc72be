import assert from "node:assert/strict";
import { test } from "node:test";
import { filterIn, isFiltered, parseAuditSearch } from "./search.ts";

test("an address keeps filters and the open entry", () => {
  const search = {
    actor: "ada@acme.test",
    act: "canvas.share",
    target: "t",
    canvas: "c-1",
    client: "Claude Code",
    q: "12",
    from: "2026-01-31",
    to: "2026-02-01",
    entry: "e-1",
  };
  assert.deepEqual(parseAuditSearch({ ...search, q: 12, more: 1 }), search);
  const { entry: _, ...filter } = search;
  assert.deepEqual(filterIn(search), filter);
});

test("what the service would refuse counts as absent", () => {
  const search = parseAuditSearch({
    canvas: "a b",
    entry: "<x>",
    from: "2026-02-30",
    to: [],
    q: "",
    actor: {},
  });
  assert.ok(Object.values(search).every((value) => value === undefined));
  assert.equal(isFiltered(search), false);
  assert.equal(isFiltered({ entry: "e" }), false);
  assert.equal(isFiltered({ q: "e" }), true);
  assert.equal(parseAuditSearch({ q: "x".repeat(500) }).q?.length, 300);
});

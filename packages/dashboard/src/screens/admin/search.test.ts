import assert from "node:assert/strict";
import { it } from "node:test";
import { parseAdminCanvasesSearch, parsePeopleSearch } from "./search.ts";

it("the address of a list keeps what it knows, and texts that the router reads as numbers", () => {
  assert.deepEqual(parsePeopleSearch({ q: 12, show: "deactivated", other: 1 }), {
    q: "12",
    show: "deactivated",
  });
  assert.deepEqual(parsePeopleSearch({ q: "", show: "deleted" }), { q: undefined, show: undefined });
  assert.deepEqual(parseAdminCanvasesSearch({ q: ["a"], show: "deleted" }), {
    q: undefined,
    show: "deleted",
  });
  assert.equal(parseAdminCanvasesSearch({ q: "x".repeat(300) }).q?.length, 200);
});

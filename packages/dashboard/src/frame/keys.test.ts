import assert from "node:assert/strict";
import { it } from "node:test";
import { keyReader } from "./keys.ts";

it("two keys one after the other go to a screen, within a second", () => {
  const read = keyReader();
  assert.equal(read("g", 0), null);
  assert.deepEqual(read("n", 900), { act: "go", to: "/new" });
  assert.equal(read("n", 950), null);
  read("g", 2_000);
  assert.equal(read("c", 3_001), null);
  read("g", 4_000);
  assert.equal(read("constructor", 4_001), null);
  assert.equal(read("c", 4_002), null);
});

it("single keys search and list the keys", () => {
  const read = keyReader();
  assert.deepEqual(read("/", 0), { act: "search" });
  assert.deepEqual(read("?", 1), { act: "keys" });
  assert.equal(read("x", 2), null);
});

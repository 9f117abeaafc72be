import assert from "node:assert/strict";
import { it } from "node:test";
import { entryAddress, entryOfAddress, parseBackendSearch } from "./search.ts";

it("the address names an entry of the policy, whatever its name, or none", () => {
  const sections = ["collections", "fileGroups"] as const;
  for (const at of [
    { section: "collections", name: "ideas" },
    { section: "fileGroups", name: "collections.a.b:c" },
  ] as const)
    assert.deepEqual(entryOfAddress(parseBackendSearch({ entry: entryAddress(at) }).entry, sections), at);
  for (const entry of ["collections", "collections.", ".ideas", "toString.x", "collectionsx.y", undefined])
    assert.equal(entryOfAddress(entry, sections), null);
  for (const entry of ["", 7, ["collections.ideas"], {}])
    assert.equal(parseBackendSearch({ entry }).entry, undefined);
  assert.equal(parseBackendSearch({ entry: "x".repeat(900) }).entry?.length, 200);
});

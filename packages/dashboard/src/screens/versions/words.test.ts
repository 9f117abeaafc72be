import assert from "node:assert/strict";
import { it } from "node:test";
import type { Version } from "../../api/types.ts";
import type { Difference } from "./compare.ts";
import { changedSigns, changedWords, differencesWords, differWords, publishWord } from "./words.ts";

const some = (...kinds: Difference["kind"][]): Difference[] =>
  kinds.map((kind) => ({ kind, path: kind, before: null, after: null }));

it("what a version changed is said in signs and, for screen readers, in words", () => {
  const changed = { added: 1, changed: 0, removed: 12 };
  assert.equal(changedSigns(changed), "+1 ~0 −12");
  assert.equal(changedWords(changed), "1 file added, none changed, 12 removed");
  assert.equal(
    changedWords({ added: 1_234, changed: 2, removed: 0 }),
    "1,234 files added, 2 changed, none removed",
  );
});

it("differences are counted, by their kinds", () => {
  assert.equal(differWords([]), "No file differs");
  assert.equal(differWords(some("added")), "1 file differs");
  assert.equal(differencesWords([]), "No file differs");
  assert.equal(
    differencesWords(some("renamed", "added", "changed", "changed")),
    "4 files differ: 2 changed, 1 added, 1 renamed",
  );
});

it("a version is rolled back to if it was live before the live one, otherwise published", () => {
  const version = (id: string, fields: Partial<Version> = {}) =>
    ({ id, current: false, published: true, ...fields }) as Version;
  const versions = [
    version("later"),
    version("live", { current: true }),
    version("earlier"),
    version("never", { published: false }),
  ];
  const words = versions.map((each) => publishWord(each, versions));
  assert.deepEqual(words, ["Publish", "Publish", "Roll back", "Publish"]);
  assert.equal(publishWord(version("only"), [version("only")]), "Publish");
});

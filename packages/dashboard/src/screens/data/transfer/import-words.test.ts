import assert from "node:assert/strict";
import { it } from "node:test";
import { reasonOf, summaryOf } from "./import-words.ts";

it("an import is one sentence, with what was left out", () => {
  const imported = { kv: 2, collections: 0, submissions: 0, files: 1 };
  const none = { kv: 0, collections: 0, submissions: 0, files: 0 };
  const skip = (count: number) => ({ what: "kv/shared.jsonl", reason: "EXISTS", count, line: 1 });
  assert.equal(summaryOf({ existing: "keep", imported, skipped: [] }), "Imported 3 entries.");
  assert.equal(
    summaryOf({ existing: "keep", imported: { ...none, kv: 1 }, skipped: [skip(1), skip(4)] }),
    "Imported 1 entry, left out 5 others.",
  );
  assert.equal(
    summaryOf({ existing: "replace", imported: none, skipped: [] }),
    "The zip had nothing to import.",
  );
});

it("a reason that is not known is its code, whatever it is called", () => {
  assert.equal(reasonOf("EXISTS"), "existed already and were kept");
  assert.equal(reasonOf("NEW_CODE"), "were refused (NEW_CODE)");
  assert.equal(reasonOf("constructor"), "were refused (constructor)");
});

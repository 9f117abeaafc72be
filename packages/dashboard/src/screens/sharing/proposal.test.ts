import assert from "node:assert/strict";
import { test } from "node:test";
import { proposedIn } from "./proposal.ts";
import { parseSharingSearch } from "./search.ts";

test("a link proposes one person, and nothing that is no address", () => {
  const proposed = (add: unknown) => proposedIn(parseSharingSearch({ add }).add);
  assert.equal(proposed("Ada+x@acme.test"), "ada+x@acme.test");
  const none = [
    undefined,
    1,
    "",
    "ada",
    "a@acme.test, b@acme.test",
    "a@acme.test\u202e",
    "<script>",
    ["a@acme.test"],
  ];
  for (const add of [...none, `${"a".repeat(300)}@acme.test`]) assert.equal(proposed(add), null, String(add));
});

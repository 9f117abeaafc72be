import assert from "node:assert/strict";
import { test } from "node:test";
import { parseUnfinished } from "./remembered.ts";

const GOOD = { manifest: "ab", canvasId: "01-a", deploy: "01-b" };

test("what other pages may have written into the storage is dropped", () => {
  assert.deepEqual(parseUnfinished(JSON.stringify([GOOD, { ...GOOD, deploy: "../x" }, 3, null])), [GOOD]);
  for (const text of [null, "", "{", "{}", '"x"', "[[]]"])
    assert.deepEqual(parseUnfinished(text), [], String(text));
  assert.equal(parseUnfinished(JSON.stringify(Array(50).fill(GOOD))).length, 10);
});

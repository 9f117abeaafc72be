import assert from "node:assert/strict";
import { test } from "node:test";
import { checkInterleavings } from "../support/s3-interleavings.ts";

test("4,000 interleavings of uploads, removals, lost requests and ended processes lose nothing that is in use", async () => {
  assert.deepEqual(await checkInterleavings(0, 4_000), []);
});

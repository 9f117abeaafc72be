import assert from "node:assert/strict";
import { test } from "node:test";
import { checkInterleavings } from "../support/s3-interleavings.ts";

const COUNT = 40_000;

test(`${COUNT} interleavings of uploads, removals, lost requests and ended processes lose nothing that is in use`, async () => {
  assert.deepEqual(await checkInterleavings(1_000_000, COUNT), []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { skipTwoNodes } from "../support/nodes-on-postgres.ts";
import { decideOnTwoNodes } from "../support/stale-access.ts";

const DECIDED = 300;

test("no request is decided by access that another node has changed before", {
  skip: skipTwoNodes,
}, async (t) => {
  const { decided, ...wrong } = await decideOnTwoNodes(t, DECIDED);
  assert.ok(decided >= DECIDED);
  assert.deepEqual(wrong, { stale: 0, refused: 0 });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { skipTwoNodes } from "../support/nodes-on-postgres.ts";
import { decideOnTwoNodes } from "../support/stale-access.ts";

const DECIDED = 5_000;

test(`no stale decision of ${DECIDED} on two nodes`, { skip: skipTwoNodes }, async (t) => {
  const { decided, ...wrong } = await decideOnTwoNodes(t, DECIDED);
  t.diagnostic(`${decided} decided requests`);
  assert.deepEqual(wrong, { stale: 0, refused: 0 });
});

import { test } from "node:test";
import { surviveKills } from "../../support/kills.ts";

/** The soak kills more often. */
const KILLS = 8;

test(`every acknowledged write survives kill -9, ${KILLS} times`, { timeout: 1_200_000 }, async (t) => {
  await surviveKills(t, KILLS);
});

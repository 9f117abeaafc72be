import { test } from "node:test";
import { surviveKills } from "../../support/kills.ts";

/** How often the service is killed. The soak test kills it more often. */
const KILLS = 1;

test("every acknowledged write survives kill -9", { timeout: 1_200_000 }, async (t) => {
  await surviveKills(t, KILLS);
});

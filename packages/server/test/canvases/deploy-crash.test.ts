import path from "node:path";
import { test } from "node:test";
import { surviveDeployKills } from "../support/deploy-kills.ts";

/** The number of kills; the soak sets a higher one. */
const KILLS = 3;

test(`kill -9 amid deploys leaves the old or the new version, ${KILLS} times`, {
  timeout: 600_000,
}, async (t) => {
  await surviveDeployKills(t, KILLS, (directory) => `sqlite:${path.join(directory, "easel.db")}`);
});

import path from "node:path";
import { test } from "node:test";
import { surviveDeployKills } from "../support/deploy-kills.ts";

/** How often the service is killed. The soak test kills it more often. */
const KILLS = 2;

test(`kill -9 amid deploys leaves the old or the new version, ${KILLS} times`, {
  timeout: 600_000,
}, async (t) => {
  await surviveDeployKills(t, KILLS, (directory) => `sqlite:${path.join(directory, "easel.db")}`);
});

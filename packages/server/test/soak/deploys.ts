import { test } from "node:test";
import { surviveDeployKills } from "../support/deploy-kills.ts";
import { ENGINES } from "../support/service.ts";

const KILLS = { sqlite: 80, postgres: 30 };

for (const { name, skip, database } of ENGINES) {
  const kills = KILLS[name];
  test(`kill -9 amid deploys leaves the old or the new version on ${name}, ${kills} times`, {
    skip,
  }, async (t) => {
    const published = await surviveDeployKills(t, kills, () => database(t));
    t.diagnostic(`the version served last is number ${published}`);
  });
}

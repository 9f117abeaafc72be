import { test } from "node:test";
import { surviveKills } from "../support/kills.ts";
import { ENGINES } from "../support/service.ts";

const KILLS = { sqlite: 80, postgres: 30 };

for (const { name, skip, database } of ENGINES) {
  const kills = KILLS[name];
  test(`every acknowledged write survives kill -9 on ${name}, ${kills} times`, { skip }, async (t) => {
    const acknowledged = await surviveKills(t, kills, { SERVICE_DATABASE_URL: await database(t) });
    t.diagnostic(`${acknowledged} writes acknowledged, none lost`);
  });
}

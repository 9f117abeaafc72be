import assert from "node:assert/strict";
import { it } from "node:test";
import { stage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { devTarget } from "@easel/conformance/target";
import { readConfig } from "../../../src/config/config.ts";
import { openDb } from "../../../src/drivers/index.ts";
import { putGrant } from "../../../src/organisation/connections/grants.ts";
import { putProfile } from "../../../src/organisation/connections/profiles.ts";
import { serve } from "../../../src/service.ts";
import { MEMBERS } from "../../organisation/connection-stores.ts";
import { atEnd, ENGINES, temporaryDirectory } from "../../support/service.ts";
import { ScriptedOutbound } from "./scripted-outbound.ts";

for (const { name, skip, migratedDatabase } of ENGINES)
  it(`a stopping service lets calls end and writes their counts, on ${name}`, { skip }, async (t) => {
    const scope = { after: (end: () => Promise<unknown>) => t.after(end) };
    const databaseUrl = await migratedDatabase(scope);
    const settings = {
      SERVICE_PORT: "0",
      SERVICE_DATA_DIR: await temporaryDirectory(scope),
      SERVICE_DATABASE_URL: databaseUrl,
      SERVICE_LOG_LEVEL: "error",
    };
    const outbound = new ScriptedOutbound();
    const { env, stop } = await serve(settings, {
      seed: async () => {},
      wrap: (drivers) => ({ ...drivers, outbound }),
    });
    const canvas = await stage(devTarget(env.base.origin, "path"));
    await putProfile({ name: "weather", origin: "https://api.test", methods: ["GET"], enabled: true }, env);
    await putGrant("weather", canvas.id, MEMBERS, env);

    const call = canvas.pages.owner.get("/connections/weather");
    await until("the request is sent", () => outbound.sent.length === 1);
    const stopping = stop();
    outbound.sent[0]?.respond("late");
    assert.deepEqual([(await call).status, (await call).text], [200, "late"]);
    await stopping;

    const db = await openDb(readConfig({ SERVICE_DATABASE_URL: databaseUrl }), assert.ifError);
    atEnd(scope, () => db.close());
    const rows = await db.all<{ profile: string; outcome: string; calls: number }>`
      select profile, outcome, calls from connection_calls`;
    assert.deepEqual(
      rows.map((row) => [row.profile, row.outcome, Number(row.calls)]),
      [["weather", "2xx", 1]],
    );
  });

import assert from "node:assert/strict";
import { cp, writeFile } from "node:fs/promises";
import path from "node:path";
import { it } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import { govern } from "@easel/conformance/policy";
import { devTarget, type Target } from "@easel/conformance/target";
import { readConfig } from "../../src/config/config.ts";
import { MIGRATIONS, migrate } from "../../src/drivers/db/migrate.ts";
import { openDb } from "../../src/drivers/index.ts";
import { runningNodes } from "../../src/instance/nodes.ts";
import { onEngines, startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";
import { type Scope, temporaryDirectory } from "../support/service.ts";
import type { TestEnv } from "../support/test-env.ts";

const SECRET = "a secret that all of these services have";

/** Uses each kind of stored data of a new canvas once: every call succeeds. */
async function smoke(target: Target): Promise<void> {
  const canvas = await stage(target);
  await govern(target, canvas, { collections: { cups: { preset: "collaborative" } } });
  await publish(target, canvas, { "index.html": "<h1>Tea</h1>" });
  assert.match((await visit(target, canvas.slug, canvas.people.owner)).text, /Tea/);
  const calls: [method: string, path: string, body?: object][] = [
    ["PUT", "kv/tea", { value: 1 }],
    ["POST", "kv/count/increment", { by: 2 }],
    ["GET", "kv/tea"],
    ["GET", "kv"],
    ["POST", "collections/cups", { name: "blue" }],
    ["GET", "collections/cups"],
    ["PUT", "submissions/vote/mine", { data: "green" }],
    ["GET", "submissions/vote/mine"],
    ["GET", "files"],
    ["GET", "me"],
  ];
  for (const [method, at, body] of calls) {
    const answer = await manage(target, canvas.people.owner, method, `/v1/c/${canvas.slug}/${at}`, body);
    assert.ok(answer.status < 300, `${method} ${at}: ${answer.text}`);
  }
  const acts: [method: string, path: string, body?: object][] = [
    ["PATCH", `/api/canvases/${canvas.id}`, { title: "Green tea" }],
    ["GET", `/api/canvases/${canvas.id}/usage`],
    ["GET", `/api/canvases/${canvas.id}/versions`],
    ["GET", "/api/canvases"],
    ["DELETE", `/api/canvases/${canvas.id}`],
  ];
  for (const [method, at, body] of acts) {
    const answer = await manage(target, canvas.people.owner, method, at, body);
    assert.ok(answer.status < 300, `${method} ${at}: ${answer.text}`);
  }
}

/** Migrates the database like a newer release, which adds a table, and a column to each table, with what `line` says about older nodes. */
async function upgrade(scope: Scope, env: TestEnv, name: string, line: string): Promise<void> {
  const directory = path.join(await temporaryDirectory(scope), "migrations");
  await cp(MIGRATIONS, directory, { recursive: true });
  const db = await openDb(readConfig({ SERVICE_DATABASE_URL: env.config.databaseUrl }), assert.ifError);
  try {
    const tables = env.canvasData.flatMap((each) => [
      ...Object.keys(each.tables ?? {}),
      ...(each.otherTables ?? []),
    ]);
    const columns = [...new Set([...tables, "canvases"])].map(
      (table) => `alter table ${table} add column ${name} text default 'new';`,
    );
    await writeFile(
      path.join(directory, `9998_${name}.sql`),
      [line, `create table ${name}_table (id text primary key);`, ...columns].join("\n"),
    );
    await migrate(db, directory, runningNodes);
  } finally {
    await db.close();
  }
}

await onEngines(
  "a rolling upgrade",
  (target, env) => {
    it("a node of the version before serves on the newer schema, and starts on it again", async (t) => {
      await smoke(target);
      await upgrade(t, env, "extra", "-- readable since: 0043");
      await smoke(target);
      const { databaseUrl, blobsUrl } = env.config;
      const again = await startDev(t, {
        SERVICE_DATABASE_URL: databaseUrl,
        SERVICE_BLOBS_URL: blobsUrl,
        SERVICE_SESSION_SECRET: SECRET,
      });
      await smoke(devTarget(again.target.base, "path"));
    });
  },
  { SERVICE_SESSION_SECRET: SECRET },
);

import assert from "node:assert/strict";
import { it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import type { Target } from "@easel/conformance/target";
import { purgeCanvases } from "../../src/canvases/purge.ts";
import type { Env } from "../../src/env.ts";
import { onEngines } from "../support/engines.ts";
import { publish } from "../support/publish.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** A canvas with something of everything: files, data, a team, a guest who has come. */
async function furnished(target: Target): Promise<Stage> {
  const canvas = await stage(target);
  const { people, id, slug } = canvas;
  await publish(target, canvas, { "index.html": "tea" });
  for (const scope of ["", "user/"]) {
    const put = await send(target.base, {
      method: "PUT",
      path: `/v1/c/${slug}/kv/${scope}a`,
      headers: [...people.owner.headers, ["Content-Type", "application/json"]],
      body: "1",
    });
    assert.equal(put.status, 200, put.text);
  }
  const runtimePolicy = { collections: { board: { preset: "collaborative" } } };
  const policy = { expectedRuntimePolicy: null, runtimePolicy };
  const set = await manage(target, people.owner, "PATCH", `/api/canvases/${id}/capabilities`, policy);
  assert.equal(set.status, 200, set.text);
  for (const [method, path, status] of [
    ["POST", "collections/board", 201],
    ["PUT", "submissions/lunch/mine", 200],
  ] as const) {
    const made = await send(target.base, {
      method,
      path: `/v1/c/${slug}/${path}`,
      headers: [...people.owner.headers, ["Content-Type", "application/json"]],
      body: '{"a":1}',
    });
    assert.equal(made.status, status, made.text);
  }
  const team = await manage(target, people.owner, "POST", "/api/teams", { name: "Tea", members: [] });
  const teams = [{ id: team.json.id, role: "viewer" }];
  assert.equal(
    (await manage(target, people.owner, "PUT", `/api/canvases/${id}/sharing`, { teams })).status,
    200,
  );
  const guest = { email: "guest@example.com" };
  const invite = await manage(target, people.owner, "POST", `/api/canvases/${id}/invites`, guest);
  const { pathname } = new URL(String(invite.json.url));
  assert.equal((await send(target.base, { method: "GET", path: pathname, headers: [] })).status, 303);
  return canvas;
}

/** Every table with rows of canvases, by what the engine itself says. */
async function tablesOf({ db, config }: Env): Promise<string[]> {
  const rows = config.databaseUrl.startsWith("sqlite:")
    ? await db.all<{ name: string }>`
        select tables.name from sqlite_master as tables join pragma_table_info(tables.name) as columns
        where tables.type = 'table' and columns.name = 'canvas_id' order by tables.name`
    : await db.all<{ name: string }>`
        select columns.table_name as name from information_schema.columns as columns
        join information_schema.tables as tables using (table_schema, table_name)
        where columns.table_schema = 'public' and table_type = 'BASE TABLE' and column_name = 'canvas_id' order by 1`;
  return rows.map(({ name }) => name).filter((name) => name !== "audit");
}

/** How many rows a table has of a canvas. */
async function countIn({ db }: Env, table: string, id: string): Promise<number> {
  const text = [`select count(*) as rows from ${table} where canvas_id = `, ""];
  const template = Object.assign(text, { raw: text }) as TemplateStringsArray;
  return Number((await db.get<{ rows: number }>(template, id))?.rows);
}

await onEngines("canvases deleted for good", (target, env) => {
  it("nothing is left of one that was deleted 30 days ago, and everything of others", async () => {
    const [gone, late, kept] = [await furnished(target), await furnished(target), await furnished(target)];
    const now = Date.now();
    await env.db.run`update canvases set deleted_at = ${now - 31 * DAY_MS} where id = ${gone.id}`;
    await env.db.run`update canvases set deleted_at = ${now - 29 * DAY_MS} where id = ${late.id}`;
    assert.equal(await purgeCanvases(env), 1);

    const tables = await tablesOf(env);
    assert.ok(tables.length >= 7, String(tables));
    for (const table of tables) {
      assert.equal(await countIn(env, table, gone.id), 0, table);
      for (const { id } of [late, kept]) assert.ok((await countIn(env, table, id)) > 0, table);
    }
    const rows = await env.db.all<{ id: string }>`select id from canvases where id = ${gone.id}`;
    assert.deepEqual(rows, []);
    const sessions = await env.db.all`select id from sessions where invite_id is not null`;
    assert.equal(sessions.length, 2);

    const again = { title: "Tea", slug: gone.slug };
    assert.equal((await manage(target, kept.people.owner, "POST", "/api/canvases", again)).status, 201);
    assert.equal(await purgeCanvases(env), 0);
  });
});

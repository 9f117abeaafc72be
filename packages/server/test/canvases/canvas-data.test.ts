import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { open } from "@easel/conformance/page";
import { refused } from "@easel/conformance/refusal";
import { type CanvasData, personalTablesOf, tablesOf } from "../../src/canvases/canvas-data.ts";
import { purgeCanvases } from "../../src/canvases/deletion.ts";
import { sweepBlobs } from "../../src/canvases/sweep.ts";
import { sql } from "../../src/drivers/db/db.ts";
import { primitives } from "../../src/primitives/index.ts";
import { keysOf } from "../drivers/blobs-contract.ts";
import { onEngines } from "../support/engines.ts";
import { primitiveWith } from "../support/primitives.ts";
import {
  allTables,
  personalColumns,
  primaryKey,
  referencesToCanvases,
  undeclaredTables,
} from "./canvas-tables.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

const data: CanvasData = {
  tables: { stickers: { key: ["canvas_id", "sheet", "place"] } },
  quotas: {
    "stickers.canvas": {
      limit: 5,
      used: (canvas) => sql`select count(*) as used from stickers where canvas_id = ${canvas}`,
    },
  },
  usage: (canvas) => sql`select sum(octet_length(note)) as bytes from stickers where canvas_id = ${canvas}`,
};

/** A primitive that only these tests have. It is added to the list of primitives like any other. */
const stickers = primitiveWith({ "/stickers": async () => '{"stickers":true}' }, { capability: "kv", data });
primitives.push(stickers);

await onEngines("canvas data", (target, env) => {
  let site: Stage;
  let other: Stage;
  before(async () => {
    [site, other] = [await stage(target), await stage(target)];
  });

  it("every table is declared by one part of the service", async () => {
    const declared = env.canvasData.flatMap(({ tables = {}, otherTables = [] }) => [
      ...Object.keys(tables),
      ...otherTables,
    ]);
    // The table of `stickers` is created later. Only PostgreSQL has epochs, which are of no part.
    const tables = (await allTables(env)).filter((name) => name !== "access_epochs");
    assert.deepEqual(declared.filter((name) => name !== "stickers").sort(), tables);
  });

  it("every column with the id or the address of a person is declared, so that exports and erasures know it", async () => {
    const people = new Map(personalTablesOf(env.canvasData));
    const missing = (await personalColumns(env)).filter(({ table, column }) => {
      const { ids = [], emails = [] } = people.get(table) ?? {};
      return ![...ids, ...emails].includes(column);
    });
    assert.deepEqual(missing, []);
    await env.db
      .run`create table strangers (id text primary key, guest_email text, person text references users (id))`;
    const found = (await personalColumns(env)).filter(({ table }) => table === "strangers");
    await env.db.run`drop table strangers`;
    assert.deepEqual(found.map(({ column }) => column).sort(), ["guest_email", "person"]);
  });

  it("a table that references a canvas but is in no `CanvasData` is found, with and without a foreign key", async () => {
    assert.deepEqual(await undeclaredTables(env), []);
    await env.db.run`create table strays (id text primary key, canvas_id text)`;
    await env.db.run`create table notes (id text primary key, version text references versions (id))`;
    await env.db.run`create table replies (id text primary key, note text references notes (id))`;
    await env.db.run`create table people (id text primary key, person text references users (id))`;
    assert.deepEqual(await undeclaredTables(env), ["notes", "replies", "strays"]);
    for (const drop of [
      sql`drop table strays`,
      sql`drop table replies`,
      sql`drop table notes`,
      sql`drop table people`,
    ])
      await env.db.run(...drop);
  });

  it("the table of an added primitive is declared by its data", async () => {
    await env.db.run`
      create table stickers (canvas_id text not null, sheet text not null, place bigint not null, note text,
        picture text, primary key (canvas_id, sheet, place))`;
    // The column is declared only now, because the service reads every declared table of blob references at its start, when this table did
    // not exist.
    data.blobs = { table: "stickers", column: "picture" };
    assert.ok((await referencesToCanvases(env)).some(({ table }) => table === "stickers"));
    assert.deepEqual(await undeclaredTables(env), []);
    const without = env.canvasData.filter((each) => each !== data);
    assert.deepEqual(await undeclaredTables({ ...env, canvasData: without }), ["stickers"]);
    assert.equal((await open(target, site.slug, site.people.owner).get("/stickers")).status, 200);
  });

  it("every table is declared once, with its primary key", async () => {
    const tables = tablesOf(env.canvasData);
    assert.equal(new Set(tables.map(([name]) => name)).size, tables.length);
    for (const [name, { key }] of tables) assert.deepEqual(await primaryKey(name, env), key, name);
  });

  it("quotas of an added primitive are settings of administrators, and shown with their use", async () => {
    const admin = await target.signIn(target.admin);
    const settings = async () =>
      (await manage(target, admin, "GET", "/api/admin/settings")).json.quotas as unknown as Record<
        string,
        number
      >;
    const patch = (quotas: Record<string, number | null>) =>
      manage(target, admin, "PATCH", "/api/admin/settings", { quotas });
    const usage = async () => {
      const { json } = await manage(target, site.people.owner, "GET", `/api/canvases/${site.id}/usage`);
      return json as unknown as { counts: Record<string, object>; bytes: { data: number } };
    };
    assert.equal((await settings())["stickers.canvas"], 5);
    assert.deepEqual((await usage()).counts["stickers.canvas"], { used: 0, limit: 5 });
    for (const [canvas, place, note] of [
      [site, 1, "é"],
      [site, 2, "tea"],
      [other, 1, "other"],
    ] as const)
      await env.db.run`
        insert into stickers (canvas_id, sheet, place, note) values (${canvas.id}, ${"a"}, ${place}, ${note})`;
    assert.equal((await patch({ "stickers.canvas": 7 })).status, 200);
    assert.equal((await settings())["stickers.canvas"], 7);
    const { counts, bytes } = await usage();
    assert.deepEqual(counts["stickers.canvas"], { used: 2, limit: 7 });
    assert.equal(bytes.data, 5);
    refused(await patch({ "stickers.canvas": 8, "stickers.person": 1 }), 400, "INVALID_BODY");
    assert.equal((await settings())["stickers.canvas"], 7);
    assert.equal((await patch({ "stickers.canvas": null })).status, 200);
    assert.equal((await settings())["stickers.canvas"], 5);
  });

  it("a blob that a row of an added primitive references is not swept", async () => {
    const put = async (text: string) =>
      (
        await env.blobs.put(
          (async function* () {
            yield Buffer.from(text);
          })(),
        )
      ).key;
    const [used, unused] = [await put("used"), await put("unused")];
    await env.db.run`update stickers set picture = ${used} where canvas_id = ${site.id} and place = 1`;
    await sweepBlobs({ ...env, clock: () => Date.now() + 2 * HOUR_MS });
    const left = await keysOf(env.blobs);
    assert.deepEqual([left.includes(used), left.includes(unused)], [true, false]);
  });

  it("a purge removes every row of the canvas from the table of an added primitive", async () => {
    await env.db.run`update canvases set deleted_at = ${Date.now() - 31 * DAY_MS} where id = ${site.id}`;
    assert.equal(await purgeCanvases(env), 1);
    assert.deepEqual(await env.db.all`select canvas_id from stickers`, [{ canvas_id: other.id }]);
  });
});

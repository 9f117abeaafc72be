import assert from "node:assert/strict";
import { before, test } from "node:test";
import { blobColumnsOf } from "../../../src/canvases/canvas-data.ts";
import { ownerIdOf } from "../../../src/canvases/owner-quotas.ts";
import { readConfig } from "../../../src/config/config.ts";
import { BlobReferences } from "../../../src/drivers/blob-references.ts";
import type { Blobs } from "../../../src/drivers/blobs/blobs.ts";
import { type Sql, sqlText, statementOf, textOf, type Value } from "../../../src/drivers/db/db.ts";
import type { Env } from "../../../src/env.ts";
import { AttachmentRemoval, sweepAttachments } from "../../../src/primitives/files/attachments.ts";
import { filesData } from "../../../src/primitives/files/data.ts";
import { FileList, parseCursor } from "../../../src/primitives/files/list.ts";
import { makeRoom, removeAllOfCanvas, sweepRemoved } from "../../../src/primitives/files/removed-files.ts";
import { FileStore } from "../../../src/primitives/files/store.ts";
import type { RuntimeCaller } from "../../../src/primitives/primitive.ts";
import { onDatabases } from "../../drivers/databases.ts";
import { changedDb } from "../../support/changed-db.ts";
import { fileOf } from "./file-stores.ts";

/*
 * Tests the query plans of all statements on files, on a canvas of 100,000 files of which most are not the reader's: each statement reads
 * along an index, and reads no more rows than it returns or removes.
 */

const FILES = 100_000;
const CANVAS = "big";
const SCOPES = ["shared", "submission", "group:photos", "record:board"] as const;

/**
 * Matches a step of SQLite's query plan that reads more rows of a table than needed. A search by canvas in `files_of_size` is allowed: the
 * highest size is the first row there.
 */
const SQLITE_GROWS =
  /^SCAN (?!CONSTANT ROW|json_each|sweep_guard)|TEMP B-TREE|^SEARCH files (?!.*files_of_size).*\(canvas_id=\?( AND scope=\?)?\)$/m;
/**
 * Matches a step of PostgreSQL's query plan that reads more rows of a table than needed, or that has read rows of `files` and then filtered
 * them out.
 */
const POSTGRES_GROWS =
  /(Seq|Bitmap \w+) Scan on (?!quotas|blob_claims|sweep_guard)|Sort|Hash Join| on files .*\n(?:(?!->).*\n)*?Rows Removed by Filter/;

await onDatabases("plans of files", (db) => {
  /** The values of the last run of each statement, keyed by its text. */
  const seen = new Map<string, Value[]>();
  function noted([text, ...values]: Sql): Sql {
    seen.set(textOf(text).replace(/\s+/g, " ").trim(), values);
    return [text, ...values];
  }
  let reads = 0;
  const noting = changedDb(db, {
    get: (...each) => db.get(...noted(each)),
    all(...each) {
      reads++;
      return db.all(...noted(each));
    },
    run: (...each) => db.run(...noted(each)),
    batch(steps) {
      for (const each of steps) noted(statementOf(each));
      return db.batch(steps);
    },
  });
  const isSqlite = () =>
    db.get`select sqlite_version()`.then(
      () => true,
      () => false,
    );
  let sqlite = false;

  before(async () => {
    sqlite = await isSqlite();
    const series = sqlite
      ? `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${FILES - 1})`
      : `with numbers as (select generate_series(0, ${FILES - 1}) as n)`;
    await db.run(
      sqlText(`${series} insert into records (id, canvas_id, collection, author_id, value, created_at, updated_at)
        select 'record-' || n, '${CANVAS}', 'board', 'u-' || (n % 1000), '1', 0, 0 from numbers where n % 4 = 3`),
    );
    await db.run(
      sqlText(`${series} insert into files
          (id, canvas_id, scope, record_id, owner_id, uploaded_by, name, mime, size, blob_key, created_at)
        select 'file-' || (1000000 + n), '${CANVAS}',
          case n % 4 when 0 then 'shared' when 1 then 'submission' when 2 then 'group:photos' else 'record:board' end,
          case n % 4 when 3 then 'record-' || n end, 'u-' || (n % 1000), 'u-' || (n % 1000), 'n', 'm', 1, 'key-' || n, 0
        from numbers`),
    );
    await db.run(
      sqlText(`${series} insert into file_bytes (canvas_id, bytes) select 'c-' || n, 1 from numbers`),
    );
    await db.run`insert into file_bytes (canvas_id, bytes) values (${CANVAS}, ${FILES})`;
    await db.run(
      sqlText(`${series} insert into removed_files (id, canvas_id, blob_key, size, removed_at)
        select 'removed-' || n, 'c-' || n, 'key-' || n, 1, n + 1 from numbers`),
    );
    if (!sqlite)
      for (const table of ["files", "records", "file_bytes", "removed_files"])
        await db.run(sqlText(`analyze ${table}`));
  });

  /** Runs every statement on files once. */
  async function everyStatement(): Promise<void> {
    const files = new FileStore({ db: noting, config: readConfig({}) }, CANVAS);
    const env = { db: noting, bus: { hasListeners: () => false }, clock: () => 0 } as unknown as Env;
    for (const scope of SCOPES) {
      for (const owner of [null, "u-1", "u-none"]) {
        assert.ok((await files.list(scope, owner, "", 101)).length <= 101);
        await files.list(scope, owner, "file-1050000", 101);
      }
    }
    await files.scopesInUse([
      ...SCOPES,
      ...Array.from({ length: 98 }, (_, index) => `group:g${index}` as const),
    ]);
    await files.listOfRecord("record-3", "", 101);
    await files.room();
    const attached = { scope: "record:board", record_id: "record-7" } as const;
    const made = await files.create(fileOf(1, attached));
    const { id } = typeof made === "object" ? made : assert.fail(made);
    assert.ok(await files.find(id));
    await files.rename(id, "other");
    await files.delete(id, 0);
    await new BlobReferences(noting, blobColumnsOf([filesData])).among(["key-1"]);
    await db.run`delete from records where id = ${"record-11"}`;
    await new AttachmentRemoval(CANVAS, "board", env).remove(["record-11"]);
    const broken = {
      ...env,
      log: { warn() {} },
      db: { ...noting, batch: () => Promise.reject(new Error("fails")) },
    } as unknown as Env;
    await db.run`delete from records where id = ${"record-15"}`;
    await new AttachmentRemoval(CANVAS, "board", broken).remove(["record-15"]);
    await sweepAttachments({ db: noting, clock: () => 0 });
    const removing = {
      ...env,
      blobs: { remove: async () => 0 } as unknown as Blobs,
      canvasData: [filesData],
    };
    assert.equal(await makeRoom(ownerIdOf(CANVAS), removing), false);
    await sweepRemoved(0, removing);
    await removeAllOfCanvas(CANVAS, removing);
    for (const { used } of Object.values(filesData.quotas ?? {})) {
      const read = used?.(CANVAS) ?? assert.fail();
      await noting.get(...read);
    }
  }

  /** Returns the steps of a statement's query plan, in the words of the database engine. */
  async function planOf(text: string, values: Value[]): Promise<string[]> {
    if (sqlite) {
      const steps = await db.all<{ detail: string }>(
        sqlText(`explain query plan ${text}`),
        ...(values as Exclude<Value, Uint8Array>[]),
      );
      return steps.map(({ detail }) => detail);
    }
    // Reads are run, so that the plan names the rows that were read and then filtered out.
    const explain = text.startsWith("select") ? "explain (analyze)" : "explain";
    const lines = await db.all<Record<string, string>>(sqlText(`${explain} ${text}`), ...values);
    return lines.map((line) => String(line["QUERY PLAN"]).trim());
  }

  test("every statement reads along an index, and only what it returns or removes", async () => {
    await everyStatement();
    assert.ok(seen.size >= 16);
    for (const [text, values] of seen) {
      const plan = (await planOf(text, values)).join("\n");
      assert.doesNotMatch(plan, sqlite ? SQLITE_GROWS : POSTGRES_GROWS, text);
    }
  });

  test("a page of all files takes at most a read for each scope of the policy, whatever else the canvas has", async () => {
    const series = sqlite
      ? "with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < 499)"
      : "with numbers as (select generate_series(0, 499) as n)";
    await db.run(
      sqlText(`${series} insert into files
          (id, canvas_id, scope, owner_id, uploaded_by, name, mime, size, blob_key, created_at)
        select 'past-' || n, '${CANVAS}', 'group:g' || n, 'u-1', 'u-1', 'n', 'm', 1, 'key', 0 from numbers`),
    );
    const named = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`g${n}`, { preset: "personal" }]));
    const policy = { fileGroups: named(50), collections: named(50) };
    const env = { db: noting, config: {}, policies: { get: () => policy } } as unknown as Env;
    const call = {
      canvas: {
        id: CANVAS,
        policyRevision: "1",
        phases: null,
        capabilities: { backendEnabled: true, kv: true, files: true },
      },
      role: "viewer",
      user: { id: "u-none" },
    } as unknown as RuntimeCaller;
    reads = 0;
    const { entries } = await new FileList(call, env).page(
      { scope: null, recordId: null },
      100,
      parseCursor(undefined),
    );
    assert.deepEqual(new Set(entries.map(({ scope }) => scope)), new Set(["shared"]));
    assert.ok(reads <= 1 + 50 + 2, `${reads} reads`);
  });
});

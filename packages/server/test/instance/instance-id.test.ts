import assert from "node:assert/strict";
import { readdir, rm, utimes } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { blobColumnsOf } from "../../src/canvases/canvas-data.ts";
import { coreData } from "../../src/canvases/core-data.ts";
import { readConfig } from "../../src/config/config.ts";
import { SetupError } from "../../src/config/setting-types.ts";
import { local } from "../../src/drivers/blobs/local.ts";
import { migrate } from "../../src/drivers/db/migrate.ts";
import { openDb } from "../../src/drivers/index.ts";
import { joinInstance, requireOneInstance, type Stores } from "../../src/instance/instance-id.ts";
import { joinStores } from "../../src/open-instance.ts";
import { filesData } from "../../src/primitives/files/data.ts";
import { FileStore } from "../../src/primitives/files/store.ts";
import { serve } from "../../src/service.ts";
import { inPieces, keysOf } from "../drivers/blobs-contract.ts";
import { atEnd, ENGINES, type Scope, startService, temporaryDirectory } from "../support/service.ts";

const FILES = ["one", "two", "three"];
/** The columns of the database that contain keys of blobs. */
const COLUMNS = blobColumnsOf([coreData, filesData]);

/** Opens a database with the tables of the service, and a blob directory, which several databases may share. */
async function open(scope: Scope, databaseUrl: string, root?: string): Promise<Stores & { root: string }> {
  root ??= path.join(await temporaryDirectory(scope), "blobs");
  const config = readConfig({ SERVICE_DATABASE_URL: databaseUrl, SERVICE_BLOBS_URL: `file:${root}` });
  const db = await openDb(config, assert.ifError);
  atEnd(scope, () => db.close());
  await migrate(db);
  return { config, db, blobs: await local(root), blobColumns: COLUMNS, clock: Date.now, root };
}

/** Stores a version with the files `used`, and puts blobs with the texts `unused`, to which no row refers. */
async function fill({ db, blobs }: Stores, used: string[], unused: string[] = []): Promise<void> {
  await db.run`insert into users (id, email, name, created_at) values (${"u"}, ${"u@example.com"}, ${"U"}, ${0})`;
  await db.run`insert into canvases (id, slug, title, owner_id, created_by, created_at, updated_at)
    values (${"c"}, ${"tea"}, ${"Tea"}, ${"u"}, ${"u"}, ${0}, ${0})`;
  await db.run`insert into versions (id, canvas_id, created_at, created_by, files, bytes)
    values (${"v"}, ${"c"}, ${0}, ${"u"}, ${1}, ${1})`;
  for (const name of [...used, ...unused]) {
    const { key } = await blobs.put(inPieces(Buffer.from(name)));
    if (!used.includes(name)) continue;
    await db.run`insert into version_files (version_id, path, encoding, mime, blob_key, size)
      values (${"v"}, ${name}, ${"identity"}, ${"text/plain"}, ${key}, ${1})`;
  }
}

/** Stores uploaded files, which no version contains. */
async function upload({ db, blobs }: Pick<Stores, "db" | "blobs">, names: string[]): Promise<void> {
  const files = new FileStore({ db, config: readConfig({}) }, "c");
  for (const name of names) {
    const { key, size } = await blobs.put(inPieces(Buffer.from(name)));
    const place = { scope: "shared", record_id: null, owner_id: "u", uploaded_by: "u" } as const;
    const file = { ...place, name, mime: "text/plain", size, blob_key: key, claim: null, created_at: 0 };
    assert.ok(typeof (await files.create(file)) === "object");
  }
}

const rowOf = ({ db }: Stores) =>
  db.get<{ id: string; joined_at: number | null }>`select id, joined_at from instance`;

/** Requires that the database and the blob directory have the same instance id, and returns it. */
async function areOne(stores: Stores): Promise<string> {
  const row = await rowOf(stores);
  assert.ok(row !== undefined && row.joined_at !== null);
  assert.equal(await stores.blobs.marker("instance"), row.id);
  return row.id;
}

/**
 * Requires that the start is refused with a message for the operator, and that the id in the blob directory and the blobs are unchanged.
 */
async function refusesAll(stores: Stores, words: RegExp): Promise<void> {
  const before = [await stores.blobs.marker("instance"), await keysOf(stores.blobs)];
  await assert.rejects(requireOneInstance(stores), (error) => {
    assert.ok(error instanceof SetupError);
    assert.match(error.message, words);
    assert.match(error.message, /docs\/operating\.md/);
    return true;
  });
  assert.deepEqual([await stores.blobs.marker("instance"), await keysOf(stores.blobs)], before);
}

for (const { name, skip, database } of ENGINES) {
  describe(`a database and its blobs on ${name}`, { skip }, () => {
    test("a new instance gets one id in database and blobs, which stays", async (t) => {
      const stores = await open(t, await database(t));
      await requireOneInstance(stores);
      const id = await areOne(stores);
      await fill(stores, FILES);
      await requireOneInstance(stores);
      assert.equal(await areOne(stores), id);
    });

    test("another database is refused, new or with bundles", async (t) => {
      const first = await open(t, await database(t));
      await requireOneInstance(first);
      await fill(first, FILES);
      const second = await open(t, await database(t), first.root);
      await refusesAll(second, /is new or empty, .* are instance .* refers to 0 of 3 blobs/);
      await fill(second, ["four"]);
      await refusesAll(second, /refers to blobs and has no instance id, .* are instance /);
      await requireOneInstance(first);
    });

    test("an emptied or missing blob directory is refused", async (t) => {
      const url = await database(t);
      const stores = await open(t, url);
      await requireOneInstance(stores);
      await fill(stores, FILES);
      await refusesAll(await open(t, url, undefined), /is instance .* carry no instance id.* store is empty/);
    });

    test("blobs without an id are adopted by no database, also by one that refers to them, until `join`", async (t) => {
      const stores = await open(t, await database(t));
      await fill(stores, FILES);
      await refusesAll(
        stores,
        /refers to blobs and has no instance id, .* carry no instance id.* refers to 3 of 3/,
      );
      await joinInstance(stores);
      await requireOneInstance(stores);
      await areOne(stores);
    });

    test("uploaded files alone count as references to blobs", async (t) => {
      const url = await database(t);
      await upload(await open(t, url), FILES);
      await refusesAll(
        await open(t, url, undefined),
        /refers to blobs and has no instance id, .* store is empty/,
      );
    });

    test("stores without ids that do not match are refused", async (t) => {
      const unused = await open(t, await database(t));
      await fill(unused, ["one"], ["two", "three"]);
      await refusesAll(unused, /refers to 1 of 3 blobs/);
      const url = await database(t);
      const lost = await open(t, url);
      await fill(lost, FILES);
      await refusesAll(await open(t, url, undefined), /carry no instance id.* store is empty/);
      const other = await open(t, await database(t), lost.root);
      await refusesAll(other, /is new or empty, .* carry no instance id/);
    });

    test("an interrupted start is completed by the next one, with the same id", async (t) => {
      for (const steps of [1, 2]) {
        const stores = await open(t, await database(t));
        await stores.db.run`insert into instance (singleton, id) values (1, ${"begun"})`;
        if (steps === 2) await stores.blobs.mark("instance", "begun");
        await requireOneInstance(stores);
        assert.equal(await areOne(stores), "begun");
      }
    });

    test("nodes that start concurrently get the same id", async (t) => {
      const url = await database(t);
      const root = path.join(await temporaryDirectory(t), "blobs");
      const nodes = [await open(t, url, root), await open(t, url, root), await open(t, url, root)];
      await Promise.all(nodes.map((node) => requireOneInstance(node)));
      assert.equal(new Set(await Promise.all(nodes.map((node) => areOne(node)))).size, 1);
    });

    test("a node that starts while another publishes the first blobs gets its id", async (t) => {
      const url = await database(t);
      const first = await open(t, url);
      const late = await open(t, url, first.root);
      // When the late node first looks, the first node has written no id yet. When the late node looks again, there is an id, and a blob
      // without a row.
      const { list } = late.blobs;
      late.blobs.list = async function* (time) {
        await requireOneInstance(first);
        await first.blobs.put(inPieces(Buffer.from("being deployed")));
        yield* list(time);
      };
      await requireOneInstance(late);
      assert.equal(await areOne(late), await areOne(first));
    });

    test("of two databases that start concurrently on an empty directory, one is refused", async (t) => {
      const root = path.join(await temporaryDirectory(t), "blobs");
      const both = [await open(t, await database(t), root), await open(t, await database(t), root)];
      const outcomes = await Promise.allSettled(both.map((stores) => requireOneInstance(stores)));
      assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    });

    test("join makes any database and blobs one instance", async (t) => {
      const first = await open(t, await database(t));
      await requireOneInstance(first);
      await fill(first, FILES);
      const second = await open(t, await database(t), first.root);
      assert.match(await joinInstance(second), /refers to 0 of 3 blobs/);
      await requireOneInstance(second);
      assert.equal(await areOne(second), await areOne(first));
      await rm(path.join(first.root, "instance.marker"));
      await refusesAll(first, /carry no instance id/);
      await joinInstance(first);
      await requireOneInstance(first);
      await areOne(first);
    });

    test("the service does not start with another database and removes nothing, until `join`", async (t) => {
      const directory = await temporaryDirectory(t);
      const settings = {
        SERVICE_PORT: "0",
        SERVICE_DATA_DIR: directory,
        SERVICE_LOG_LEVEL: "error",
      };
      const first = await serve(settings);
      await first.seeded;
      await first.env.compressions.settled();
      const keys = await keysOf(first.env.blobs);
      assert.ok(keys.length > 0);
      await first.stop();
      const root = path.join(directory, "blobs");
      const old = new Date(Date.now() - 2 * 60 * 60 * 1000);
      for (const key of keys) await utimes(path.join(root, key.slice(0, 2), key), old, old);

      const other = { ...settings, SERVICE_DATABASE_URL: await database(t) };
      await assert.rejects(startService(t, other), SetupError);
      assert.deepEqual(await keysOf(await local(root)), keys);
      for (const file of await readdir(directory))
        if (file.startsWith("easel.db")) await rm(path.join(directory, file));
      await assert.rejects(startService(t, settings), SetupError);
      assert.deepEqual(await keysOf(await local(root)), keys);

      assert.match(await joinStores(other), new RegExp(`0 of ${keys.length} blobs`));
      await startService(t, other);
    });
  });
}

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { readConfig } from "../../src/config/config.ts";
import { SetupError } from "../../src/config/setting-types.ts";
import type { Db, Schema } from "../../src/drivers/db/db.ts";
import { MIGRATIONS, migrate, pendingMigrations } from "../../src/drivers/db/migrate.ts";
import { openDb } from "../../src/drivers/index.ts";
import { atEnd, ENGINES, type Scope, temporaryDirectory } from "../support/service.ts";

const applied = (db: Db) => db.all<{ name: string; applied_at: number }>`
  select name, applied_at from migrations order by name`;

const isThere = (db: Schema, table: string) =>
  db
    .exclusively((tables) => tables.exec(`select * from ${table}`))
    .then(
      () => true,
      () => false,
    );

/** Creates a directory of migrations from their paths in it and their texts. */
async function directory(scope: Scope, files: Record<string, string>): Promise<string> {
  const place = await temporaryDirectory(scope);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(place, name)), { recursive: true });
    await writeFile(path.join(place, name), text);
  }
  return place;
}

/** Returns the names of the migrations of the service for an engine, in the order in which they are applied. */
async function namesFor(engine: string): Promise<string[]> {
  const own = path.join(MIGRATIONS, engine);
  const names = [...(await readdir(MIGRATIONS)), ...(existsSync(own) ? await readdir(own) : [])];
  return names.filter((each) => each.endsWith(".sql")).sort();
}

const ONE = { "0001_one.sql": "create table one (id bigint primary key);" };
const TWO = { "0002_two.sql": "create table two (id bigint primary key);\ninsert into one (id) values (1);" };

const run = promisify(execFile);
const source = (file: string) => JSON.stringify(path.join(import.meta.dirname, "../../src", file));
/** The script of a node that migrates its database; its argument is SERVICE_DATABASE_URL. */
const NODE = `
  import { readConfig } from ${source("config/config.ts")};
  import { migrate } from ${source("drivers/db/migrate.ts")};
  import { openDb } from ${source("drivers/index.ts")};
  const db = await openDb(readConfig({ SERVICE_DATABASE_URL: process.argv[1] }), () => process.exit(1));
  await migrate(db);
  await db.close();
`;

for (const { name, skip, database } of ENGINES) {
  describe(`migrations on ${name}`, { skip }, () => {
    /** Opens `count` connections to one empty database. */
    async function connect(scope: Scope, count: number): Promise<(Db & Schema)[]> {
      const config = readConfig({ SERVICE_DATABASE_URL: await database(scope) });
      const connections: (Db & Schema)[] = [];
      for (let each = 0; each < count; each++) {
        const db = await openDb(config, assert.ifError);
        atEnd(scope, () => db.close());
        connections.push(db);
      }
      return connections;
    }
    const single = async (scope: Scope) => (await connect(scope, 1))[0] as Db & Schema;

    test("an empty database gets every migration of the service", async (t) => {
      const db = await single(t);
      await migrate(db);
      const names = await namesFor(name);
      assert.ok(names.length > 0);
      assert.deepEqual(
        (await applied(db)).map((row) => row.name),
        names,
      );
      assert.deepEqual(await db.all`select id from canvases`, []);
    });

    test("a database says which release has migrated it, and what would be migrated", async (t) => {
      const db = await single(t);
      assert.deepEqual(await pendingMigrations(db), await namesFor(name));
      const first = await migrate(db);
      assert.deepEqual([first.isNew, first.applied.map((each) => each.name)], [true, await namesFor(name)]);
      assert.deepEqual(await pendingMigrations(db), []);
      await db.run`
        insert into migrations (name, hash, applied_at, release) values ('9999_next.sql', 'x', 1, '7.1.0')`;
      for (const compare of [migrate, pendingMigrations])
        await assert.rejects(compare(db), {
          constructor: SetupError,
          message: /9999_next\.sql of release 7\.1\.0, .*Start release 7\.1\.0 or newer/,
        });
      const last = (await namesFor(name)).at(-1) ?? "";
      await db.run`delete from migrations where name = '9999_next.sql' or name = ${last}`;
      assert.deepEqual(await pendingMigrations(db), [last]);
    });

    test("a second run changes nothing", async (t) => {
      const db = await single(t);
      await migrate(db);
      const before = await applied(db);
      await migrate(db);
      assert.deepEqual(await applied(db), before);
    });

    test("new migrations are applied to an existing database", async (t) => {
      const db = await single(t);
      await migrate(db, await directory(t, ONE));
      await db.run`insert into one (id) values (${7})`;
      await migrate(db, await directory(t, { ...ONE, ...TWO }));
      assert.equal((await db.all`select id from one`).length, 2);
      assert.deepEqual(
        (await applied(db)).map((row) => row.name),
        ["0001_one.sql", "0002_two.sql"],
      );
    });

    test("what bundles took before is counted: each content once a canvas, and each file of a version", async (t) => {
      const db = await single(t);
      const names = (await namesFor(name)).filter((each) => each < "0009");
      const before: Record<string, string> = {};
      for (const each of names) before[each] = await readFile(path.join(MIGRATIONS, each), "utf8");
      await migrate(db, await directory(t, before));
      await db.run`insert into users (id, email, name, created_at) values ('ada', 'ada@example.com', 'Ada', 1)`;
      for (const canvas of ["one", "two", "draft"])
        await db.run`
          insert into canvases (id, slug, title, owner_id, created_by, created_at, updated_at)
          values (${canvas}, ${canvas}, 'Tea', 'ada', 'ada', 1, 1)`;
      const files: [
        canvas: string,
        version: string,
        path: string,
        encoding: string,
        key: string,
        size: number,
      ][] = [
        ["one", "1a", "index.html", "identity", "home", 500],
        ["one", "1a", "index.html", "br", "home-br", 100],
        ["one", "1a", "copy.html", "identity", "home", 500],
        ["one", "1b", "index.html", "identity", "home", 500],
        ["one", "1b", "new.txt", "identity", "new", 30],
        ["two", "2a", "index.html", "identity", "home", 500],
      ];
      for (const [canvas, version, at, encoding, key, size] of files) {
        await db.run`
          insert into versions (id, canvas_id, created_at, created_by, files, bytes)
          values (${version}, ${canvas}, 1, 'ada', 1, 1) on conflict (id) do nothing`;
        await db.run`
          insert into version_files (version_id, path, encoding, mime, blob_key, size)
          values (${version}, ${at}, ${encoding}, 'text/html', ${key}, ${size})`;
      }
      await migrate(db);
      assert.deepEqual(await db.all`select canvas_id, bytes from bundle_bytes order by canvas_id`, [
        { canvas_id: "one", bytes: 530 + 2 * 4096 + 4 * 512 + 6 * (2 * 10 + 9 + 7) },
        { canvas_id: "two", bytes: 500 + 4096 + 512 + 6 * 10 },
      ]);
      assert.deepEqual(await db.all`select canvas_id, blob_key, uses from bundle_blobs order by 1, 2`, [
        { canvas_id: "one", blob_key: "home", uses: 3 },
        { canvas_id: "one", blob_key: "new", uses: 1 },
        { canvas_id: "two", blob_key: "home", uses: 1 },
      ]);
      assert.deepEqual(
        await db.all`select blob_key from bundle_blobs where canvas_id = 'one' and compressed = 2`,
        [{ blob_key: "home" }],
      );
      assert.deepEqual(await db.all`select distinct encoding from version_files`, [{ encoding: "identity" }]);
      assert.deepEqual(await db.all`select distinct state from versions`, [{ state: "stored" }]);
    });

    test("0029 keeps the slugs of canvases that were published for their owners", async (t) => {
      const db = await single(t);
      const names = (await namesFor(name)).filter((each) => each < "0029");
      const before: Record<string, string> = {};
      for (const each of names) before[each] = await readFile(path.join(MIGRATIONS, each), "utf8");
      await migrate(db, await directory(t, before));
      for (const user of ["ada", "bo"])
        await db.run`insert into users (id, email, name, created_at) values (${user}, ${user}, ${user}, 1)`;
      const canvases: [id: string, owner: string, version: string | null, deletedAt: number | null][] = [
        ["live", "ada", "v1", null],
        ["deleted", "bo", "v2", 1],
        ["draft", "ada", null, null],
      ];
      for (const [id, owner, version, deletedAt] of canvases) {
        await db.run`
          insert into canvases (id, slug, title, owner_id, created_by, created_at, updated_at, version_id, deleted_at)
          values (${id}, ${id}, 'Tea', ${owner}, 'ada', 1, 1, ${version}, ${deletedAt})`;
        await db.run`insert into slug_claims (slug, canvas_id, until)
          values (${id}, ${id}, null), (${`former-${id}`}, ${id}, 1)`;
      }
      await migrate(db);
      assert.deepEqual(await db.all`select slug, user_id from slug_owners order by slug`, [
        { slug: "deleted", user_id: "bo" },
        { slug: "former-deleted", user_id: "bo" },
        { slug: "former-live", user_id: "ada" },
        { slug: "live", user_id: "ada" },
      ]);
    });

    test("of concurrent nodes on an empty database, one migrates it", async (t) => {
      const nodes = await connect(t, 4);
      const place = await directory(t, { ...ONE, ...TWO });
      await Promise.all(nodes.map((node) => migrate(node, place)));
      for (const node of nodes) {
        assert.equal((await applied(node)).length, 2);
        assert.equal((await node.all`select id from one`).length, 1);
      }
    });

    test("of concurrent processes on an empty database, one migrates it", async (t) => {
      const url = await database(t);
      await Promise.all(
        Array.from({ length: 4 }, () => run(process.execPath, ["--input-type=module", "-e", NODE, url])),
      );
      const db = await openDb(readConfig({ SERVICE_DATABASE_URL: url }), assert.ifError);
      atEnd(t, () => db.close());
      assert.equal((await applied(db)).length, (await namesFor(name)).length);
    });

    test("migrations of one engine are applied to its databases only, in the order of all names", async (t) => {
      const db = await single(t);
      const place = await directory(t, {
        ...ONE,
        "0003_three.sql": "drop table own;",
        "postgres/0002_p.sql": "create table own (only_postgres bigint references one (id));",
        "sqlite/0002_s.sql": "create table own (only_sqlite bigint references one (id));",
      });
      for (const round of ["first", "second"]) {
        await migrate(db, place);
        assert.deepEqual(
          (await applied(db)).map((row) => row.name),
          ["0001_one.sql", name === "postgres" ? "0002_p.sql" : "0002_s.sql", "0003_three.sql"],
          round,
        );
      }
    });

    test("files that do not end in .sql are ignored", async (t) => {
      const db = await single(t);
      await migrate(
        db,
        await directory(t, { ...ONE, "README.md": "not SQL", "0002_two.sql.orig": "nor this" }),
      );
      assert.equal((await applied(db)).length, 1);
    });

    test("an applied migration with another text: rejected, and nothing is changed", async (t) => {
      const db = await single(t);
      await migrate(db, await directory(t, ONE));
      const changed = { "0001_one.sql": `${ONE["0001_one.sql"]}\n` };
      await assert.rejects(
        migrate(db, await directory(t, { ...changed, ...TWO })),
        /0001_one\.sql .* another text/,
      );
      assert.equal(await isThere(db, "two"), false);
    });

    test("a database of a newer version: rejected, and nothing is changed", async (t) => {
      const db = await single(t);
      await migrate(db, await directory(t, { ...ONE, ...TWO }));
      const older = { ...ONE, "0003_three.sql": "create table three (id bigint primary key)" };
      await assert.rejects(
        migrate(db, await directory(t, older)),
        /0002_two\.sql, which this release, [\d.]+, does not know.*Start a newer release/,
      );
      assert.equal(await isThere(db, "three"), false);
    });

    const READABLE = "-- readable since: 0002\n";
    const THREE = { "0003_three.sql": `${READABLE}create table three (id bigint primary key);` };
    const newest = { ...ONE, ...TWO, ...THREE };

    test("a database of a newer version that this one can work with: accepted, and named", async (t) => {
      const db = await single(t);
      const known = await migrate(db, await directory(t, newest));
      assert.deepEqual([known.schema, known.newer], ["0003_three.sql", []]);
      const older = await migrate(db, await directory(t, { ...ONE, ...TWO }));
      assert.deepEqual([older.schema, older.newer], ["0002_two.sql", ["0003_three.sql"]]);
      await assert.rejects(
        migrate(db, await directory(t, ONE)),
        /0002_two\.sql, which this release, [\d.]+, does not know.*Start a newer release/,
      );
      const skipped = { ...newest, "0004_four.sql": "create table four (id bigint primary key);" };
      await migrate(db, await directory(t, skipped));
      await assert.rejects(migrate(db, await directory(t, { ...ONE, ...TWO })), /0004_four\.sql, which/);
    });

    test("a version that does not know what a newer migration builds on: rejected", async (t) => {
      const db = await single(t);
      const place = { ...ONE, "0002_two.sql": `-- readable since: 0001\n${TWO["0002_two.sql"]}`, ...THREE };
      await migrate(db, await directory(t, place));
      await assert.rejects(
        migrate(db, await directory(t, ONE)),
        /0003_three\.sql, which this release, [\d.]+, does not know/,
      );
    });

    test("a node that could not read a new migration runs: rejected, and nothing is changed", async (t) => {
      const db = await single(t);
      await migrate(db, await directory(t, ONE));
      const beside = async (schema: string) =>
        migrate(db, await directory(t, newest), async () => [{ place: "the node on one", schema }]);
      await assert.rejects(
        beside("0001_one.sql"),
        /0002_two\.sql cannot be applied while the node on one runs.*Stop all nodes/,
      );
      assert.equal(await isThere(db, "two"), false);
      await migrate(db, await directory(t, { ...ONE, ...TWO }));
      await assert.rejects(beside("0001_one.sql"), /0003_three\.sql cannot be applied/);
      assert.equal((await beside("0002_two.sql")).schema, "0003_three.sql");
    });

    test("a migration that fails is rolled back, and can be corrected", async (t) => {
      const db = await single(t);
      const broken = {
        ...ONE,
        "0002_two.sql": `${TWO["0002_two.sql"]} insert into nowhere (id) values (1);`,
      };
      await assert.rejects(migrate(db, await directory(t, broken)), /nowhere/);
      for (const table of ["migrations", "one", "two"]) {
        assert.equal(await isThere(db, table), false, table);
      }
      await migrate(db, await directory(t, { ...ONE, ...TWO }));
      assert.equal((await db.all`select id from one`).length, 1);
    });
  });
}

test("a migration that older nodes are said to read only adds", async () => {
  const adds =
    /^(create (table|index|unique index|view|function|or replace function|trigger) |alter table \w+ add column \w+ (?!.*not null(?!.*default)))/;
  for (const file of await readdir(MIGRATIONS, { recursive: true })) {
    if (!file.endsWith(".sql")) continue;
    const text = await readFile(path.join(MIGRATIONS, file), "utf8");
    if (!/^-- readable since: \d{4}$/m.test(text)) continue;
    const statements = text
      .split("\n")
      .filter((line) => !line.startsWith("--"))
      .join("\n")
      .replace(/\$\$.*?\$\$|\bbegin\b.*?\bend\b/gs, "")
      .split(";")
      .map((each) => each.trim().replace(/\s+/g, " "));
    // A new table, and a new column, may be filled.
    const isNew = ([, table = "", column]: RegExpExecArray) =>
      statements.some((each) =>
        each.startsWith(
          column === undefined ? `create table ${table} (` : `alter table ${table} add column ${column} `,
        ),
      );
    for (const statement of statements.filter(Boolean)) {
      const fill = /^(?:insert into|update) (\w+)(?: set (\w+) = (?!.*, \w+ = ))?/.exec(statement);
      if (fill === null || !isNew(fill)) assert.match(statement, adds, file);
    }
  }
});

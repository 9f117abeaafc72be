import assert from "node:assert/strict";
import { test } from "node:test";
import { type Sql, sqlText, textOf } from "../../../src/drivers/db/db.ts";
import { findPeople, type ReadableData } from "../../../src/primitives/people/store.ts";
import { onDatabases } from "../../drivers/databases.ts";
import { changedDb } from "../../support/changed-db.ts";

const CANVAS = "canvas";
const ROWS = 10_000;
const PEOPLE = Array.from({ length: 100 }, (_, index) => `u-${index}`);

/** Data that the caller may read in the test of the query plan. The tables also have many rows that the caller may not read. */
const READABLE: ReadableData = {
  collections: { any: ["board", "news"], own: ["diary", "notes"] },
  scopes: { any: ["shared", "record:board"], own: ["submission", "record:diary"] },
  submissions: { own: true, any: true },
};
const NOTHING: ReadableData = {
  collections: { any: [], own: [] },
  scopes: { any: [], own: [] },
  submissions: { own: false, any: false },
};

/** For each table: the part of SQLite's query plan that names the index and the columns by which the table must be searched. */
const SEARCHED: Record<string, RegExp> = {
  records:
    /records_of_author \(canvas_id=\? AND collection=\? AND author_id=\?\)|autoindex_records_1 \(id=\?\)/,
  submissions: /submissions_of_user \(canvas_id=\? AND user_id=\?\)/,
  files: /files_of_uploader \(canvas_id=\? AND scope=\? AND uploaded_by=\?( AND owner_id=\?)?\)/,
  users: /autoindex_users_1 \(id=\?\)/,
  invites: /autoindex_invites_1 \(id=\?\)/,
};

await onDatabases("names of people", (db) => {
  const insertFile = (id: string, recordId: string | null, by: string) => db.run`
    insert into files (id, canvas_id, scope, record_id, owner_id, uploaded_by, name, mime, size, blob_key, created_at)
    values (${id}, ${CANVAS}, 'record:board', ${recordId}, 'author', ${by}, 'n', 'm', 1, ${id}, 0)`;

  test("a person has the picture and the name of their row, and a guest the name of the invitation", async () => {
    await db.run`
      insert into users (id, email, name, avatar_url, created_at, deactivated_at)
      values ('pictured', 'p@example.com', 'Pictured', 'https://pictures.example/p.png', 0, 1)`;
    await db.run`
      insert into canvases (id, slug, title, owner_id, created_by, created_at, updated_at)
      values (${CANVAS}, 'slug', 'title', 'pictured', 'pictured', 0, 0)`;
    await db.run`
      insert into invites (id, canvas_id, email, name, token_hash, created_at, created_by)
      values ('i-1', ${CANVAS}, 'g@example.com', 'A guest', 'hash', 0, 'pictured')`;
    for (const by of ["pictured", "guest:i-1"])
      await db.run`
        insert into submissions (canvas_id, collection, user_id, value, updated_at) values (${CANVAS}, 'poll', ${by}, '1', 0)`;
    const readable = { ...NOTHING, submissions: { own: true, any: true } };
    const found = await findPeople(["guest:i-1", "pictured"], CANVAS, "caller", readable, db);
    assert.deepEqual(
      new Map(found.map((person) => [person.id, person])),
      new Map([
        ["guest:i-1", { id: "guest:i-1", name: "A guest", avatarUrl: null }],
        ["pictured", { id: "pictured", name: "Pictured", avatarUrl: "https://pictures.example/p.png" }],
      ]),
    );
  });

  test("an attachment that a removed record has left behind names nobody", async () => {
    await db.run`insert into users (id, email, name, created_at) values ('uploader', 'u@example.com', 'Uploader', 0)`;
    await db.run`
      insert into records (id, canvas_id, collection, author_id, value, created_at, updated_at)
      values ('record', ${CANVAS}, 'board', 'author', '1', 0, 0)`;
    const scopes = { any: ["record:board"], own: [] };
    const own = { any: [], own: ["record:board"] };
    const find = async () => [
      (await findPeople(["uploader"], CANVAS, "caller", { ...NOTHING, scopes }, db)).length,
      (await findPeople(["uploader"], CANVAS, "author", { ...NOTHING, scopes: own }, db)).length,
    ];
    await insertFile("left", "removed", "uploader");
    assert.deepEqual(await find(), [0, 0]);
    await insertFile("kept", "record", "uploader");
    assert.deepEqual(await find(), [1, 1]);
  });

  test("one statement for 100 people, which searches every table by an index and filters no rows", async () => {
    const isSqlite = await db.get`select sqlite_version()`.then(
      () => true,
      () => false,
    );
    const series = isSqlite
      ? `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${ROWS - 1})`
      : `with numbers as (select generate_series(0, ${ROWS - 1}) as n)`;
    for (const rows of [
      "users (id, email, name, created_at) select 'u-' || n, 'u-' || n || '@example.com', 'n', 0",
      `invites (id, canvas_id, email, name, token_hash, created_at, created_by)
        select 'u-' || n, '${CANVAS}', 'e', 'n', 'hash-' || n, 0, 'u-1'`,
      `records (id, canvas_id, collection, author_id, value, created_at, updated_at)
        select 'r-' || n, '${CANVAS}', case n % 2 when 0 then 'hidden' else 'board' end, 'u-' || (n % 300), '1', 0, 0`,
      `submissions (canvas_id, collection, user_id, value, updated_at) select '${CANVAS}', 'poll', 'u-' || (n + 50), '1', 0`,
      `files (id, canvas_id, scope, owner_id, uploaded_by, name, mime, size, blob_key, created_at)
        select 'f-' || n, '${CANVAS}', case n % 3 when 0 then 'shared' when 1 then 'record:diary' else 'group:hidden' end,
          'u-' || (n % 7), 'u-' || (n % 300), 'n', 'm', 1, 'key-' || n, 0`,
    ])
      await db.run(sqlText(`${series} insert into ${rows} from numbers`));
    const tables = Object.keys(SEARCHED);
    if (!isSqlite) for (const table of tables) await db.run(sqlText(`analyze ${table}`));

    const seen: Sql[] = [];
    const noting = changedDb(db, {
      all(...each) {
        seen.push(each);
        return db.all(...each);
      },
    });
    const found = await findPeople(PEOPLE, CANVAS, "u-1", READABLE, noting);
    assert.ok(found.length > 0);
    const [[text, ...values] = assert.fail(), ...others] = seen;
    assert.equal(others.length, 0);
    const explain = isSqlite ? "explain query plan" : "explain (analyze)";
    const steps = await db.all<Record<string, string>>(sqlText(`${explain} ${textOf(text)}`), ...values);
    const plan = steps.map((step) => String(step.detail ?? step["QUERY PLAN"]).trim());
    if (isSqlite) {
      for (const step of plan) {
        assert.doesNotMatch(step, /^SCAN (?!(people|names) VIRTUAL TABLE)|TEMP B-TREE/, plan.join("\n"));
        const [, table] = /^SEARCH (\w+) /.exec(step) ?? [];
        if (table !== undefined) assert.match(step, SEARCHED[table] ?? assert.fail(step), plan.join("\n"));
      }
      for (const table of tables)
        assert.ok(
          plan.some((step) => step.startsWith(`SEARCH ${table} `)),
          table,
        );
    } else {
      assert.doesNotMatch(
        plan.join("\n"),
        /(Seq|Bitmap \w+) Scan|Sort|Join| on (records|submissions|files) .*\n(?:(?!->).*\n)*?Rows Removed by Filter/,
      );
      for (const table of tables)
        assert.ok(
          plan.some((step) => /Index (Only )?Scan/.test(step) && step.includes(` on ${table} `)),
          table,
        );
    }
  });
});

import assert from "node:assert/strict";
import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { send } from "@easel/conformance/http";
import connect from "postgres";
import { readConfig } from "../../src/config/config.ts";
import { SetupError } from "../../src/config/setting-types.ts";
import { type CopyOptions, type CopyTarget, copyInstance } from "../../src/copy/copy-instance.ts";
import { createTables, openDb } from "../../src/drivers/index.ts";
import type { Env } from "../../src/env.ts";
import { becomeOnlyWriter } from "../../src/instance/one-writer.ts";
import { seedExamples } from "../../src/management/seed-examples.ts";
import { joinStores } from "../../src/open-instance.ts";
import { writePageViews } from "../../src/organisation/view-counts.ts";

import { cookieOf, JSON_TYPE, signIn } from "../support/client.ts";
import { S3_VARIABLES, startS3 } from "../support/s3-server.ts";
import {
  atEnd,
  ENGINES,
  type Engine,
  type Scope,
  startService,
  temporaryDirectory,
} from "../support/service.ts";

const [sqlite, postgres] = ENGINES;
assert.ok(sqlite !== undefined && postgres !== undefined);

const SETTINGS = {
  SERVICE_SESSION_SECRET: "a secret of the tests that is long enough",
  SERVICE_RATELIMIT_ENABLED: "false",
  SERVICE_LOG_LEVEL: "fatal",
};

/** Returns the URL of a database with the tables of the service. */
async function migrated(engine: Engine, t: Scope): Promise<string> {
  const url = await engine.migratedDatabase(t);
  const db = await openDb(readConfig({ SERVICE_DATABASE_URL: url }), assert.ifError);
  await createTables(db);
  await db.close();
  return url;
}

type Settings = Record<string, string>;

/** Starts a service, and returns it with a function that stops it. */
async function start(
  scope: Scope,
  settings: Settings,
  examples: string[] = [],
): Promise<{ base: string; env: Env; stop: () => Promise<unknown> }> {
  const ends: (() => Promise<unknown>)[] = [];
  const own = { after: (end: () => Promise<unknown>) => void ends.push(end) };
  const stop = async () => {
    for (const end of ends.splice(0)) await end();
  };
  atEnd(scope, stop);
  const seed = (env: Parameters<typeof seedExamples>[0]) => seedExamples(env, undefined, examples);
  const options = examples.length > 0 ? seed : undefined;
  const { base, env } = await startService(own, { ...SETTINGS, ...settings }, "localhost", options);
  return { base, env, stop };
}

/** Starts a service on SQLite with an example, and stops it. Returns its settings and what it has answered. */
async function stopped(t: Scope, examples = ["photo-wall"]) {
  const directory = await temporaryDirectory(t);
  const settings = { SERVICE_DATA_DIR: directory };
  const service = await start(t, settings, examples);
  const page = await read(service.base);
  await service.stop();
  return { directory, settings, page };
}

/** Reads a page as the person who owns the examples. */
async function read(base: string, address = "/c/photo-wall/"): Promise<string> {
  const session = cookieOf(await signIn(base, { email: "dev@example.com" }));
  const { status, text } = await send(base, { method: "GET", path: address, headers: [session] });
  assert.equal(status, 200);
  return text.replaceAll(base, "");
}

/** Asserts that a service with these settings serves the page of the example. */
async function serves(t: Scope, settings: Settings, page: string): Promise<void> {
  const service = await start(t, settings);
  assert.equal(await read(service.base), page);
  await service.stop();
}

/** Copies, and returns the lines that were printed. */
async function copy(settings: Settings, target: CopyTarget, options: CopyOptions = {}): Promise<string> {
  const lines: string[] = [];
  await copyInstance({ ...SETTINGS, ...settings }, target, { print: (line) => lines.push(line), ...options });
  return lines.join("\n");
}

const refused = (work: Promise<unknown>, message: RegExp) =>
  assert.rejects(work, (error) => {
    assert.ok(error instanceof SetupError, String((error as Error).stack));
    assert.match(error.message, message);
    return true;
  });

/** Tables with what belongs to processes and to an engine, and the row that says of which instance a database is. */
const NOT_COPIED = [
  "migrations",
  "readable_migrations",
  "leases",
  "nodes",
  "jobs",
  "instance",
  "access_epochs",
];

/** Returns the rows of every table as sorted JSON. */
async function rowsOf(databaseUrl: string): Promise<Record<string, string[]>> {
  const texts = (rows: Iterable<Record<string, unknown>>) =>
    [...rows]
      .map(({ title_key: _, ...row }) =>
        JSON.stringify(
          Object.entries(row)
            .map(([name, value]) => [
              name,
              value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
            ])
            .sort(),
        ),
      )
      .sort();
  if (databaseUrl.startsWith("sqlite:")) {
    const db = new DatabaseSync(databaseUrl.slice("sqlite:".length), { readOnly: true });
    const names = db
      .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
      .all()
      .map(({ name }) => String(name));
    const rows = names
      .filter((name) => !NOT_COPIED.includes(name))
      .map((name) => [name, texts(db.prepare(`select * from ${name}`).all())]);
    db.close();
    return Object.fromEntries(rows);
  }
  const types = { bigint: { to: 20, from: [20], parse: Number, serialize: String } };
  const db = connect(databaseUrl, { max: 1, types });
  const names =
    await db`select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`;
  const rows: [string, string[]][] = [];
  for (const { name } of names)
    if (!NOT_COPIED.includes(name)) rows.push([name, texts(await db.unsafe(`select * from ${name}`))]);
  await db.end();
  return Object.fromEntries(rows);
}

/** Fills every table of an SQLite database that the service has migrated with rows, `count` in each. */
function fillEveryTable(file: string, count: number): void {
  const db = new DatabaseSync(file);
  // The driver adds what triggers and columns call.
  db.function("lower", { deterministic: true }, (text) => String(text).toLowerCase());
  db.exec("pragma foreign_keys = on; begin; pragma defer_foreign_keys = on");
  const tables = db
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => ![...NOT_COPIED, "person_words"].includes(name));
  for (const table of tables) {
    const keys = db.prepare(`select "from", "table", "to" from pragma_foreign_key_list(?)`).all(table);
    const columns = db.prepare("select name, type from pragma_table_info(?)").all(table);
    const names = columns.map(({ name }) => String(name));
    const insert = db.prepare(`insert into ${table} (${names}) values (${names.map(() => "?")})`);
    for (let row = 1; row <= (names.includes("singleton") ? 1 : count); row++)
      insert.run(
        ...columns.map(({ name, type }) => {
          if (name === "singleton") return row;
          // A session is of a person or of an invitation.
          if (table === "sessions" && name === "invite_id") return null;
          const key = keys.find(({ from }) => from === name);
          return valueIn(String(key?.table ?? table), String(key?.to ?? name), String(type), row);
        }),
      );
  }
  db.exec("commit");
  db.close();
}

/** Returns a value that the column has in one row only. It is one that engines could store or sort in different ways. */
function valueIn(table: string, column: string, type: string, row: number) {
  if (/bigint/i.test(type)) return row % 3 === 0 ? 2 ** 53 - row : row;
  if (/int/i.test(type)) return row;
  if (/double|real/i.test(type)) return row / 10 - 5;
  if (/bytea|blob/i.test(type)) return Buffer.from([row % 256, row >> 8, 0, 255]);
  return `${row % 2 ? "ä" : "Z"}${table}.${column} 🍏\u0001"\\${row}`;
}

describe("copying an instance to PostgreSQL, and back to SQLite", { skip: postgres.skip }, () => {
  test("every row of every table is the same afterwards, also if there are more than a batch has", async (t) => {
    const original = await migrated(sqlite, t);
    const file = original.slice("sqlite:".length);
    fillEveryTable(file, 3);
    const db = new DatabaseSync(file);
    const insert = db.prepare("insert into counts (canvas_id, kind, rows) values (?, ?, ?)");
    db.exec("begin");
    for (let row = 0; row < 1_234; row++) insert.run(`${"aÄzZ"[row % 4]}${row % 100}`, `kind ${row}`, row);
    db.exec("commit; insert into instance (singleton, id, joined_at) values (1, 'the-instance', 1)");
    db.close();
    const before = await rowsOf(original);
    for (const [table, rows] of Object.entries(before)) assert.ok(rows.length > 0, table);

    const blobs = path.join(path.dirname(file), "blobs");
    await mkdir(blobs);
    const there = await postgres.database(t);
    const settings = { SERVICE_DATA_DIR: path.dirname(file) };
    await writeFile(path.join(blobs, "instance.marker"), "the-instance");
    assert.match(await copy(settings, { database: there }), /Copied \d{4} rows, and compared them\./);
    assert.deepEqual(await rowsOf(there), before);

    const back = `sqlite:${path.join(await temporaryDirectory(t), "new/easel.db")}`;
    await copy({ ...settings, SERVICE_DATABASE_URL: there }, { database: back });
    assert.deepEqual(await rowsOf(back), before);
  });

  test("sessions, pages, records and files go on; the old database is out of use until `join`", async (t) => {
    const directory = await temporaryDirectory(t);
    const first = await start(t, { SERVICE_DATA_DIR: directory }, ["board", "photo-wall"]);
    const session = cookieOf(await signIn(first.base, { email: "dev@example.com" }));
    const paths = [
      "/c/board/",
      "/v1/c/board/collections/cards",
      "/v1/c/photo-wall/files",
      "/api/canvases",
      "/api/me",
    ];
    const answersOf = (base: string) =>
      Promise.all(
        paths.map(async (at) => {
          const { status, text } = await send(base, { method: "GET", path: at, headers: [session] });
          assert.equal(status, 200, `${at}: ${text}`);
          // The page is opened by this very read.
          return text.replaceAll(base, "").replaceAll(/"lastUsedAt":\d+/g, "");
        }),
      );
    for (const [method, at, value] of [
      ["POST", "/collections/cards", { title: "Äpfel, 🍏 and \u0001", n: 0.1 }],
      ["PUT", "/kv/count", 2 ** 53],
      ["PUT", "/submissions/poll/mine", null],
    ] as const) {
      const headers: [string, string][] = [session, JSON_TYPE];
      const body = JSON.stringify(value);
      const { status } = await send(first.base, { method, path: `/v1/c/board${at}`, headers, body });
      assert.ok(status < 300, `${at}: ${status}`);
    }
    const form = new FormData();
    form.append("file", new File(["A short note."], "note.txt"));
    const files = `${first.base}/v1/c/photo-wall/files`;
    assert.equal((await fetch(files, { method: "POST", headers: [session], body: form })).status, 201);
    await answersOf(first.base);
    await writePageViews(first.env);
    const answers = await answersOf(first.base);
    const database = await migrated(postgres, t);
    const settings = { SERVICE_DATA_DIR: directory };
    await first.stop();
    const lock = await becomeOnlyWriter(
      { config: readConfig({ ...SETTINGS, ...settings }), log: first.env.log },
      0,
    );
    await refused(copy(settings, { database }), /easel\.db is used by process [^\n]+Stop the service first/);
    lock.release();

    const printed = await copy(settings, { database });
    assert.match(printed, /Done\. Start the service with .*SERVICE_DATABASE_URL/);
    assert.doesNotMatch(printed, /:[0-9a-f]{32}@/, "no password");
    const second = await start(t, { ...settings, SERVICE_DATABASE_URL: database });
    assert.deepEqual(await answersOf(second.base), answers);
    await refused(
      copy({ ...settings, SERVICE_DATABASE_URL: database }, { database: `sqlite:${directory}/other.db` }),
      /is used by the node on [^\n]+Stop the service first/,
    );
    await second.stop();
    await refused(start(t, settings), /was copied, and the copy has taken its place/);
    await joinStores({ ...SETTINGS, ...settings });
    const again = await start(t, settings);
    assert.deepEqual(await answersOf(again.base), answers);
  });

  test("a copy that cannot be is refused, and nothing has changed", async (t) => {
    const { directory, settings, page } = await stopped(t);
    const database = await migrated(postgres, t);
    const nowhere = { SERVICE_DATA_DIR: path.join(directory, "nowhere") };
    await refused(copy(nowhere, { database }), /There is no database .*nowhere.*SERVICE_DATA_DIR/);
    await refused(copy(settings, {}), /Say what to copy to: --to .*--blobs/);
    await refused(copy(settings, { database: "mysql://db" }), /SERVICE_DATABASE_URL/);
    await refused(copy(settings, { database: `sqlite:${directory}/./easel.db` }), /is the database to copy/);
    await refused(copy(settings, { blobs: `file:${directory}/blobs` }), /are of this instance already/);
    const others = { ...settings, SERVICE_BLOBS_URL: `file:${path.join(directory, "other")}` };
    await refused(copy(others, { database }), /do not belong to the database/);

    const client = connect(database, { max: 1, onnotice() {} });
    atEnd(t, () => client.end());
    await client`insert into counts (canvas_id, kind, rows) values ('a', 'kv', 1)`;
    await refused(copy(settings, { database }), /is not empty \(table counts\)/);
    await client`delete from counts`;
    await client`delete from migrations where name = (select max(name) from migrations)`;
    await refused(copy(settings, { database }), /has tables of another release/);
    await client`drop schema public cascade`;
    await client`create schema public`;
    await client`create table theirs (id integer primary key)`;
    await refused(copy(settings, { database }), /has tables of another release or of another program/);
    const found =
      await client`select table_name as name from information_schema.tables where table_schema = 'public'`;
    assert.deepEqual([...found], [{ name: "theirs" }]);

    const older = await temporaryDirectory(t);
    await copyFile(path.join(directory, "easel.db"), path.join(older, "easel.db"));
    const db = new DatabaseSync(path.join(older, "easel.db"));
    db.exec("delete from migrations where name = (select max(name) from migrations)");
    db.close();
    await refused(
      copy({ SERVICE_DATA_DIR: older }, { database }),
      /is of another release: start this release/,
    );
    await serves(t, settings, page);
  });

  test("a copy that ends after any of its steps leaves the source as it was, or is finished by the next one", async (t) => {
    const { directory, settings, page } = await stopped(t);
    const target = { database: await postgres.database(t), blobs: `file:${path.join(directory, "copied")}` };
    const there = { ...settings, SERVICE_DATABASE_URL: target.database, SERVICE_BLOBS_URL: target.blobs };
    const kill = (step: string) => ({
      onStep(done: string) {
        if (done === step) throw new Error("the process has been killed");
      },
    });
    for (const step of ["blobs are copied", "rows are copied"]) {
      await assert.rejects(copy(settings, target, kill(step)), /has been killed/);
      await refused(start(t, there), step === "rows are copied" ? /has not been finished/ : /do not belong/);
      await serves(t, settings, page);
    }
    await assert.rejects(copy(settings, target, kill("the source is out of use")), /has been killed/);
    await refused(start(t, there), /has not been finished: run `easel-server copy` again/);
    await refused(start(t, settings), /the copy has taken its place/);
    await refused(
      copy(settings, { database: `sqlite:${directory}/third.db` }),
      /was copied, and the copy has taken its place/,
    );
    assert.match(await copy(settings, target), /Done/);
    await serves(t, there, page);
    await refused(copy(settings, target), /the copy has taken its place/);
  });
});

test("blobs are copied to a bucket and back; the next run goes on, and lost and damaged ones are told", async (t) => {
  const { directory, settings, page } = await stopped(t);
  const bucket = await startS3(t);
  const inBucket = { ...settings, SERVICE_BLOBS_URL: bucket.url("production"), ...S3_VARIABLES };
  const target = { blobs: inBucket.SERVICE_BLOBS_URL };
  let puts = 0;
  bucket.fault = ({ method, name }) =>
    method === "PUT" && /\/blobs\//.test(`/${name}`) && ++puts > 2
      ? { status: 403, code: "AccessDenied" }
      : undefined;
  await assert.rejects(copy({ ...settings, ...S3_VARIABLES }, target));
  await serves(t, settings, page);
  await refused(start(t, inBucket), /do not belong together/);
  bucket.fault = () => undefined;
  assert.match(await copy({ ...settings, ...S3_VARIABLES }, target), /Copied \d+ blobs, .*; 2 were there\./);
  await serves(t, inBucket, page);
  await refused(start(t, settings), /do not belong together/);
  await refused(copy({ ...settings, ...S3_VARIABLES }, target), /do not belong to the database/);

  // What the bucket has lost, and what it has with other bytes, cannot be copied.
  const [lost, damaged] = [...bucket.objects.keys()].filter((name) => name.includes("/blobs/"));
  assert.ok(lost !== undefined && damaged !== undefined);
  bucket.objects.delete(lost);
  const object = bucket.objects.get(damaged);
  assert.ok(object !== undefined);
  object.bytes = Buffer.from("other bytes");
  const back = path.join(directory, "back");
  const printed = await copy(inBucket, { blobs: `file:${back}` });
  assert.match(printed, /Warning: 2 blobs are missing or damaged/);
  for (const name of [lost, damaged]) assert.match(printed, new RegExp(path.basename(name)));
  const copied = await readdir(back, { recursive: true, withFileTypes: true });
  const keys = copied.filter((each) => each.isFile() && each.name.length === 64);
  assert.equal(keys.length, [...bucket.objects.keys()].filter((name) => name.includes("/blobs/")).length - 1);
  await refused(
    copy({ ...settings, SERVICE_BLOBS_URL: `file:${back}` }, { blobs: `file:${directory}/blobs` }),
    /of another instance/,
  );
});

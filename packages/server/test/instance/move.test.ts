import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { copyFile, readFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { send } from "@easel/conformance/http";
import connect from "postgres";
import { SetupError } from "../../src/config/setting-types.ts";
import type { Env } from "../../src/env.ts";
import { seedExamples } from "../../src/management/seed-examples.ts";
import { writePageViews } from "../../src/organisation/view-counts.ts";
import { moveStores } from "../../src/service.ts";
import { cookieOf, JSON_TYPE, signIn } from "../support/client.ts";
import { S3_VARIABLES, startS3 } from "../support/s3-server.ts";
import { atEnd, ENGINES, type Scope, startService, temporaryDirectory } from "../support/service.ts";

const postgres = ENGINES.find(({ name }) => name === "postgres");
const skip = postgres?.skip ?? false;

/** Tables with what belongs to processes and to the engine. */
const OWN_TABLES = ["migrations", "readable_migrations", "leases", "nodes", "jobs"];

/** The column that both engines generate, each in its own way. */
const GENERATED = "title_key";

const SETTINGS = {
  SERVICE_SESSION_SECRET: "a secret of the tests that is long enough",
  SERVICE_RATELIMIT_ENABLED: "false",
};

/** Starts a service, and returns it with a function that stops it. */
async function start(
  scope: Scope,
  settings: Record<string, string>,
  examples: string[] = [],
): Promise<{ base: string; env: Env; stop: () => Promise<unknown> }> {
  const ends: (() => Promise<unknown>)[] = [];
  const own = { after: (end: () => Promise<unknown>) => void ends.push(end) };
  const stop = async () => {
    for (const end of ends.splice(0)) await end();
  };
  atEnd(scope, stop);
  const seed = (env: Parameters<typeof seedExamples>[0]) => seedExamples(env, undefined, examples);
  const { base, env } = await startService(
    own,
    { ...SETTINGS, ...settings },
    "localhost",
    examples.length > 0 ? seed : undefined,
  );
  return { base, env, stop };
}

/** Returns all rows of both databases, by table, as JSON in the order of their text. */
async function rowsOf(
  file: string,
  url: string,
): Promise<{ before: Record<string, string[]>; after: Record<string, string[]> }> {
  const source = new DatabaseSync(file, { readOnly: true });
  const target = connect(url, {
    max: 1,
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
  });
  const texts = (rows: Iterable<Record<string, unknown>>) =>
    [...rows]
      .map((row) =>
        JSON.stringify(
          Object.entries(row)
            .filter(([name]) => name !== GENERATED)
            .map(([name, value]) => [
              name,
              value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
            ])
            .sort(),
        ),
      )
      .sort();
  const before: Record<string, string[]> = {};
  const after: Record<string, string[]> = {};
  try {
    const tables = source
      .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
      .all();
    for (const name of tables.map((each) => String(each.name)).filter((each) => !OWN_TABLES.includes(each))) {
      before[name] = texts(source.prepare(`select * from ${name}`).all());
      after[name] = texts(await target.unsafe(`select * from ${name}`));
    }
  } finally {
    source.close();
    await target.end();
  }
  return { before, after };
}

describe("moving an instance from SQLite to PostgreSQL", { skip }, () => {
  /** Starts a service on SQLite with two examples. Returns it with the settings of the service on PostgreSQL that is to replace it. */
  async function prepare(t: Scope) {
    const directory = await temporaryDirectory(t);
    const sqlite = await start(t, { SERVICE_DATA_DIR: directory }, ["board", "photo-wall"]);
    const settings = {
      ...SETTINGS,
      SERVICE_LOG_LEVEL: "error",
      SERVICE_DATABASE_URL: (await postgres?.migratedDatabase(t)) ?? "",
      SERVICE_BLOBS_URL: `file:${path.join(directory, "blobs")}`,
      SERVICE_DATA_DIR: await temporaryDirectory(t),
    };
    return { sqlite, settings, directory, file: path.join(directory, "easel.db") };
  }

  const refused = (moved: Promise<string>, message: RegExp) =>
    assert.rejects(moved, (error) => {
      assert.ok(error instanceof SetupError, String(error));
      assert.match(error.message, message);
      return true;
    });

  test("every row is the same afterwards: sessions, pages, records and files go on; the old database is out of use", async (t) => {
    const { sqlite, settings, directory, file } = await prepare(t);
    const session = cookieOf(await signIn(sqlite.base, { email: "dev@example.com" }));
    const paths = [
      "/c/board/",
      "/v1/c/board/collections/cards",
      "/v1/c/photo-wall/files",
      "/api/canvases",
      "/api/me",
    ];
    const read = (base: string) =>
      Promise.all(
        paths.map(async (at) => {
          const { status, text } = await send(base, { method: "GET", path: at, headers: [session] });
          assert.equal(status, 200, `${at}: ${text}`);
          // The page is opened by this very read.
          return text.replaceAll(base, "").replaceAll(/"lastUsedAt":\d+/g, "");
        }),
      );
    for (const [method, path, value] of [
      ["POST", "/collections/cards", { title: "Äpfel, 🍏 and \u0001", n: 0.1 }],
      ["PUT", "/kv/count", 2 ** 53],
      ["PUT", "/submissions/poll/mine", null],
    ] as const) {
      const body = JSON.stringify(value);
      const { status } = await send(sqlite.base, {
        method,
        path: `/v1/c/board${path}`,
        headers: [session, JSON_TYPE],
        body,
      });
      assert.ok(status < 300, `${path}: ${status}`);
    }
    const form = new FormData();
    form.append("file", new File(["A short note."], "note.txt"));
    const at = `${sqlite.base}/v1/c/photo-wall/files`;
    assert.equal((await fetch(at, { method: "POST", headers: [session], body: form })).status, 201);
    await read(sqlite.base);
    await writePageViews(sqlite.env);
    const answers = await read(sqlite.base);
    await refused(moveStores(settings, file), /uses the database .*easel\.db: stop the service first/);
    await sqlite.stop();

    await copyFile(file, path.join(directory, "before.db"));
    assert.match(await moveStores(settings, file), /^Moved \d+ rows of .*easel\.db/);
    const { before, after } = await rowsOf(path.join(directory, "before.db"), settings.SERVICE_DATABASE_URL);
    assert.deepEqual(after, before);
    for (const table of [
      "canvases",
      "versions",
      "records",
      "files",
      "kv",
      "submissions",
      "sessions",
      "page_views",
      "page_viewers",
      "instance",
    ])
      assert.ok((before[table]?.length ?? 0) > 0, table);

    const moved = await start(t, settings);
    assert.deepEqual(await read(moved.base), answers);
    await moved.stop();
    await assert.rejects(start(t, { SERVICE_DATA_DIR: directory }), /do not belong together/);
  });

  test("a move that cannot be is refused, and can be repeated when its cause is removed", async (t) => {
    const { sqlite, settings, directory, file } = await prepare(t);
    await sqlite.stop();
    await refused(
      moveStores({ ...settings, SERVICE_DATABASE_URL: "" }, file),
      /SERVICE_DATABASE_URL must name/,
    );
    await refused(moveStores(settings, path.join(directory, "no.db")), /no\.db cannot be used/);
    await refused(
      moveStores({ ...settings, SERVICE_BLOBS_URL: `file:${path.join(directory, "other")}` }, file),
      /do not belong to the database/,
    );

    const older = path.join(directory, "older.db");
    await copyFile(file, older);
    const db = new DatabaseSync(older);
    db.exec("delete from migrations where name = (select max(name) from migrations)");
    db.close();
    await refused(moveStores(settings, older), /is of another release/);

    const client = connect(settings.SERVICE_DATABASE_URL, { max: 1 });
    atEnd(t, () => client.end());
    await client`insert into counts (canvas_id, kind, rows) values ('a', 'kv', 1)`;
    await refused(moveStores(settings, file), /is not empty \(table counts\)/);
    await client`delete from counts`;
    assert.match(await moveStores(settings, file), /^Moved/);
    await refused(moveStores(settings, file), /do not belong to the database/);
  });
});

test("blobs that are copied to a bucket as docs/growing.md says serve the same pages, once their marker is there", async (t) => {
  const directory = await temporaryDirectory(t);
  const before = await start(t, { SERVICE_DATA_DIR: directory }, ["photo-wall"]);
  const session = cookieOf(await signIn(before.base, { email: "dev@example.com" }));
  const get = async (base: string) => {
    const { status, text } = await send(base, { method: "GET", path: "/c/photo-wall/", headers: [session] });
    assert.equal(status, 200);
    return text.replaceAll(base, "");
  };
  const page = await get(before.base);
  await before.stop();

  const bucket = await startS3(t);
  const put = async (name: string, file: string) => {
    const bytes = await readFile(path.join(directory, "blobs", file));
    bucket.objects.set(`production/${name}`, { bytes, etag: file, modified: Date.now() });
  };
  const copied = globSync("[0-9a-f][0-9a-f]/*", { cwd: path.join(directory, "blobs") });
  assert.ok(copied.length > 0);
  for (const file of copied) await put(`blobs/${path.basename(file)}`, file);
  const settings = {
    SERVICE_DATA_DIR: directory,
    SERVICE_BLOBS_URL: bucket.url("production"),
    ...S3_VARIABLES,
  };
  await assert.rejects(start(t, settings), /carry no instance id/);
  await put("markers/instance", "instance.marker");
  const after = await start(t, settings);
  assert.equal(await get(after.base), page);
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFile, cp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { until } from "@easel/conformance/patience";
import { readManifest } from "../../src/backup/manifest.ts";
import { restoreBackup } from "../../src/backup/restore-backup.ts";
import { takeBackup } from "../../src/backup/take-backup.ts";
import { verifyBackup } from "../../src/backup/verify-backup.ts";
import { sweepBlobs } from "../../src/canvases/sweep.ts";
import { readConfig } from "../../src/config/config.ts";
import { copyInstance } from "../../src/copy/copy-instance.ts";
import { newId } from "../../src/crypto/ids.ts";
import type { Db } from "../../src/drivers/db/db.ts";
import { MIGRATIONS, migrate } from "../../src/drivers/db/migrate.ts";
import { openDb } from "../../src/drivers/index.ts";
import type { Env } from "../../src/env.ts";
import { lastBackupAt } from "../../src/instance/last-backup.ts";
import { endHold, heldUntil, tick } from "../../src/instance/sweep-guard.ts";
import { newInstance, refused, startWith } from "../support/backed-up.ts";
import { ENGINES, type Scope, temporaryDirectory } from "../support/service.ts";
import { smallDisk } from "../support/small-disk.ts";

const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);

/** Asserts that programs of PostgreSQL that are missing or too old are told, with what to do. */
async function refusePrograms(t: Scope, settings: Record<string, string>, backups: string): Promise<void> {
  const programs = await temporaryDirectory(t);
  const tried = { ...settings, PATH: programs };
  const write = (program: string, text: string) =>
    writeFile(path.join(programs, program), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const both = async (message: RegExp) => {
    await refused(takeBackup(tried, backups), new RegExp(`program pg_dump ${message.source}`));
    const restored = restoreBackup(tried, backups, { replace: true });
    await refused(restored, new RegExp(`program pg_restore ${message.source}`));
  };
  await both(/is not on the PATH: install PostgreSQL's client programs/);
  for (const program of ["pg_dump", "pg_restore"])
    await write(program, `echo "${program} (PostgreSQL) 12.9"`);
  await both(/is of PostgreSQL 12, and the server of \d+: put the programs of version \d+ or newer/);
  await write(
    "pg_restore",
    "echo 'pg_restore: error: unsupported version (1.99) in file header' >&2; exit 1",
  );
  const { PATH } = process.env;
  process.env.PATH = `${programs}:${PATH}`;
  try {
    await refused(verifyBackup(backups, undefined), /The dump is of a newer pg_dump than the pg_restore/);
  } finally {
    process.env.PATH = PATH;
  }
}

for (const engine of ENGINES) {
  test(`a backup of a running service on ${engine.name} brings data, pages and sessions back`, {
    skip: engine.skip,
  }, async (t) => {
    const { settings, backups, directory, start } = await newInstance(t, engine);
    const lines: string[] = [];
    const options = { print: (line: string) => void lines.push(line) };
    const cut = (step: string) => {
      const onStep = async (done: string) => {
        if (done === step) throw new Error("cut");
      };
      return assert.rejects(restoreBackup(settings, backups, { ...options, replace: true, onStep }), /cut/);
    };
    const first = await start(["board"]);
    await first.put("kept", "before the backup");
    const name = await takeBackup(settings, backups, options);
    await first.put("kept", "after the backup");
    await verifyBackup(backups, name);
    await refused(restoreBackup(settings, backups), /Stop the service first/);
    await first.stop();
    if (engine.name === "postgres") {
      const { SERVICE_DATABASE_URL: _, ...sqlite } = settings;
      await refused(
        restoreBackup(sqlite, backups),
        /is of PostgreSQL, and SERVICE_DATABASE_URL names a database of SQLite/,
      );
      await refused(
        restoreBackup(settings, backups),
        /has \d+ tables: restore into an empty one, or add --replace/,
      );
      await refusePrograms(t, settings, backups);
      await rm(path.join(directory, "blobs"), { recursive: true });
      await cut("restore prepared");
      await refused(
        takeBackup(settings, backups),
        /A restore of this instance was interrupted: start the service/,
      );
      await refused(copyInstance(settings, { blobs: "file:/tmp/other" }), /was interrupted/);
      // From here on, the next start finishes it: it marks the blobs.
      await cut("database restored");
    } else await restoreBackup(settings, backups, options);
    const second = await start();
    assert.equal(await second.read("kept"), '{"value":"before the backup"}');
    const { takenAt } = await readManifest(path.join(backups, name));
    assert.equal(await lastBackupAt(second.env.db), Date.parse(takenAt));
    assert.equal(await second.page(), 200);
    await second.stop();
    assert.match(lines.join("\n"), /Made the backup /);
    assert.doesNotMatch(lines.join("\n"), /Finished an earlier restore/);
    assert.deepEqual(
      (await readdir(directory)).filter((name) => /restoring/.test(name)),
      [],
    );
  });
}

describe("a backup of SQLite", () => {
  /** Makes an instance with data and a file, and stops it. */
  async function stopped(t: Scope, examples = ["board"]) {
    const instance = await newInstance(t);
    const service = await instance.start(examples);
    if (examples.includes("board")) await service.put("kept", "1");
    await service.stop();
    return instance;
  }

  const edit = (file: string, sql: string) => {
    const db = new DatabaseSync(file);
    db.exec(sql);
    db.close();
  };

  test("is private, and the second one copies only what is new", async (t) => {
    const { settings, backups, directory } = await stopped(t);
    const name = await takeBackup(settings, backups);
    for (const [at, mode] of [
      ["", "700"],
      [name, "700"],
      [`${name}/easel.db`, "600"],
      [`${name}/manifest.json`, "600"],
      ["blobs", "700"],
    ] as const)
      assert.equal(await modeOf(path.join(backups, at)), mode, at);
    assert.deepEqual((await readdir(path.join(backups, name))).sort(), [
      "blobs.txt",
      "easel.db",
      "manifest.json",
    ]);
    const lines: string[] = [];
    const second = await takeBackup(settings, backups, { print: (line) => void lines.push(line) });
    assert.deepEqual(
      lines.filter((line) => line.includes("blobs …")),
      [],
    );
    assert.notEqual(second, name);
    assert.ok((await stat(path.join(directory, "easel.db"))).size > 0);
  });

  test("may be in a folder that is named from the working directory, with any characters", async (t) => {
    const { settings, directory } = await stopped(t);
    const folder = path.relative(process.cwd(), path.join(directory, "a #b ?c %41"));
    await verifyBackup(folder, await takeBackup(settings, folder));
    await restoreBackup(settings, folder);
  });

  test("is refused if a byte of it was altered, cut off or removed, before anything is touched", async (t) => {
    const { settings, backups, directory } = await stopped(t);
    const name = await takeBackup(settings, backups);
    const at = path.join(backups, name);
    const [blob = ""] = (await readFile(path.join(at, "blobs.txt"), "utf8")).split(" ");
    const blobFile = path.join(backups, "blobs", blob.slice(0, 2), blob);
    const before = await readFile(path.join(directory, "easel.db"));
    const cases: [file: string, change: (bytes: Buffer) => Buffer | null, message: RegExp][] = [
      ["manifest.json", (bytes) => bytes.subarray(0, -10), /manifest\.json is truncated or was altered/],
      [
        "manifest.json",
        (bytes) => Buffer.from(bytes.toString().replace(/"users": \d+/, '"users": 7')),
        /truncated or was altered/,
      ],
      ["manifest.json", () => Buffer.from("null"), /truncated or was altered/],
      ["manifest.json", () => null, /is no backup/],
      ["easel.db", (bytes) => bytes.subarray(0, -4096), /easel\.db has \d+ bytes instead of \d+/],
      [
        "easel.db",
        (bytes) => Buffer.from(bytes.with(5000, 255 - (bytes[5000] ?? 0))),
        /easel\.db was altered/,
      ],
      ["easel.db", () => null, /easel\.db is missing/],
      ["blobs.txt", (bytes) => bytes.subarray(66), /blobs\.txt has/],
      [
        blobFile,
        (bytes) => Buffer.from(bytes.with(0, 255 - (bytes[0] ?? 0))),
        new RegExp(`blob ${blob} is damaged`),
      ],
      [blobFile, () => null, new RegExp(`blob ${blob} is missing`)],
    ];
    for (const [file, change, message] of cases) {
      const altered = path.resolve(at, file);
      const whole = await readFile(altered);
      const bytes = change(whole);
      await (bytes === null ? rm(altered) : writeFile(altered, bytes));
      await refused(verifyBackup(backups, name), message);
      await refused(restoreBackup(settings, backups), message);
      await writeFile(altered, whole);
    }
    await verifyBackup(backups, name);
    assert.deepEqual(await readFile(path.join(directory, "easel.db")), before);
    assert.deepEqual(
      (await readdir(directory)).filter((each) => /before|restoring/.test(each)),
      [],
    );
  });

  test("is refused at once if a file of it is a pipe that nobody writes to", {
    skip: process.platform === "win32" && "Windows has no such pipes",
  }, async (t) => {
    const { settings, backups } = await stopped(t);
    const name = await takeBackup(settings, backups);
    const at = path.join(backups, name);
    const [blob = ""] = (await readFile(path.join(at, "blobs.txt"), "utf8")).split(" ");
    for (const [file, message] of [
      ["manifest.json", /is no backup/],
      ["easel.db", /easel\.db is missing or cannot be read/],
      ["blobs.txt", /blobs\.txt is missing or cannot be read/],
      [path.join(backups, "blobs", blob.slice(0, 2), blob), new RegExp(`blob ${blob} `)],
    ] as const) {
      const pipe = path.resolve(at, file);
      const whole = await readFile(pipe);
      await rm(pipe);
      execFileSync("mkfifo", [pipe]);
      await refused(verifyBackup(backups, name), message);
      await refused(restoreBackup(settings, backups), message);
      await rm(pipe);
      await writeFile(pipe, whole);
    }
    await verifyBackup(backups, name);
  });

  test("brings the state of before back after a crash whose log lies beside the database", async (t) => {
    const { settings, backups, directory } = await stopped(t);
    await takeBackup(settings, backups);
    const file = path.join(directory, "easel.db");
    const crashed = new DatabaseSync(file);
    crashed.exec(
      "pragma journal_mode=wal; pragma wal_autocheckpoint=0; update users set name = 'after the backup'",
    );
    const copies = await temporaryDirectory(t);
    await cp(directory, copies, { recursive: true });
    crashed.close();
    assert.ok((await stat(path.join(copies, "easel.db-wal"))).size > 0);
    await restoreBackup({ ...settings, SERVICE_DATA_DIR: copies }, backups);
    const restored = new DatabaseSync(path.join(copies, "easel.db"));
    assert.deepEqual(
      restored.prepare("select count(*) as n from users where name = 'after the backup'").get()?.n,
      0,
    );
    restored.close();
    const [aside = ""] = (await readdir(copies)).filter((each) => each.startsWith("before-restore-"));
    assert.deepEqual((await readdir(path.join(copies, aside))).sort(), [
      "easel.db",
      "easel.db-shm",
      "easel.db-wal",
    ]);
    assert.equal(await modeOf(path.join(copies, "easel.db")), "600");
  });

  test("leaves the old or the new instance wherever its restore is interrupted, and the next start goes on", async (t) => {
    const { settings, backups, directory } = await stopped(t);
    await takeBackup(settings, backups);
    edit(path.join(directory, "easel.db"), "update users set name = 'old'");
    // Another instance in place of the present one, so that the blobs are replaced, too.
    const other = await stopped(t, ["photo-wall"]);
    edit(path.join(other.directory, "easel.db"), "update users set name = 'old'; pragma journal_mode=wal");
    const seen: string[] = [];
    const states = await temporaryDirectory(t);
    await restoreBackup(other.settings, backups, {
      async onStep(done) {
        await cp(other.directory, path.join(states, String(seen.push(done))), { recursive: true });
      },
    });
    assert.deepEqual(seen, [
      "blobs copied",
      "database copied",
      "database prepared",
      "restore final",
      "database aside",
      "database in place",
      "blobs aside",
      "blobs in place",
      "blobs marked",
    ]);
    for (const [index, done] of seen.entries()) {
      const state = { ...other.settings, SERVICE_DATA_DIR: path.join(states, String(index + 1)) };
      const { env, ...service } = await startWith(t, state);
      const { name } = (await env.db.get<{ name: string }>`select name from users limit 1`) ?? {};
      assert.equal(name === "old", index < 3, `${done}: ${name}`);
      await service.stop();
      await restoreBackup(state, backups);
    }
  });

  test("of another key, folder, release or engine is told or refused in words", async (t) => {
    const { settings, backups } = await stopped(t);
    const name = await takeBackup(settings, backups);
    const lines: string[] = [];
    const otherKey = { ...settings, SERVICE_ENCRYPTION_KEY: Buffer.alloc(32, 2).toString("base64") };
    await restoreBackup(otherKey, backups, { print: (line) => void lines.push(line) });
    assert.match(lines.join("\n"), /SERVICE_ENCRYPTION_KEY is not the key of this backup/);
    const other = await stopped(t, ["photo-wall"]);
    await refused(takeBackup(other.settings, backups), /is a backup of another instance/);
    await refused(verifyBackup(backups, "2020"), new RegExp(`no backup 2020 .*There are: ${name}`));
    await refused(verifyBackup(other.directory, undefined), /There is no backup in/);
    await refused(takeBackup({ ...settings, SERVICE_DATA_DIR: backups }, backups), /There is no database/);
    edit(
      path.join(settings.SERVICE_DATA_DIR ?? "", "easel.db"),
      "insert into migrations (name, hash, applied_at) values ('9999_new.sql', '', 0)",
    );
    await refused(
      takeBackup(settings, backups),
      /migration 9999_new\.sql, which this release .* does not know/,
    );
  });

  test("goes when newer ones are kept, and its blobs with it, unless one that is damaged may need them", async (t) => {
    const { settings, backups, directory } = await stopped(t);
    const at = (second: number) => ({ keep: 2, clock: () => Date.UTC(2026, 0, 1, 0, 0, second) });
    await takeBackup(settings, backups, at(1));
    const blobs = async () =>
      (await readdir(path.join(backups, "blobs"), { recursive: true })).filter((each) => each.length > 60);
    const all = await blobs();
    assert.ok(all.length > 0);
    // A later state without canvases refers to no blobs.
    edit(
      path.join(directory, "easel.db"),
      "delete from version_files; update bundle_blobs set uses = 0; delete from files",
    );
    await takeBackup(settings, backups, at(2));
    assert.deepEqual(await blobs(), all);
    await writeFile(path.join(backups, "2026-01-01T00-00-02Z", "blobs.txt"), "damaged\n");
    await takeBackup(settings, backups, at(3));
    await takeBackup(settings, backups, at(4));
    assert.deepEqual(await blobs(), all);
    await rm(path.join(backups, "2026-01-01T00-00-02Z"), { recursive: true });
    await takeBackup(settings, backups, at(4));
    assert.deepEqual(
      (await readdir(backups)).filter((each) => each.startsWith("2026")),
      ["2026-01-01T00-00-04Z", "2026-01-01T00-00-04Z-2"],
    );
    assert.deepEqual(await blobs(), []);
    await verifyBackup(backups, undefined);
  });

  test("is made again if a blob vanished meanwhile, and says which blobs the instance has lost", async (t) => {
    const { settings, backups, directory } = await stopped(t);
    const db = new DatabaseSync(path.join(directory, "easel.db"));
    const { key } = db.prepare("select blob_key as key from version_files limit 1").get() as { key: string };
    db.close();
    const blob = path.join(directory, "blobs", key.slice(0, 2), key);
    let copies = 0;
    const removeOne = async () => {
      if (copies++ > 0) return;
      edit(
        path.join(directory, "easel.db"),
        `delete from version_files where blob_key = '${key}'; update bundle_blobs set uses = 0 where blob_key = '${key}'`,
      );
      await rm(blob);
    };
    const name = await takeBackup(settings, backups, { onCopied: removeOne });
    assert.equal(copies, 2);
    await verifyBackup(backups, name);
    edit(path.join(directory, "easel.db"), `update bundle_blobs set uses = 1 where blob_key = '${key}'`);
    const lines: string[] = [];
    const lossy = await takeBackup(settings, path.join(directory, "other"), {
      print: (line) => void lines.push(line),
    });
    assert.match(lines.join("\n"), new RegExp(`${key} is missing or damaged in the instance itself`));
    await verifyBackup(path.join(directory, "other"), lossy);
  });

  test("waits for no other backup into the same folder, and leaves nothing behind when it fails", async (t) => {
    const { settings, backups } = await stopped(t);
    await takeBackup(settings, backups, {
      onCopied: () => refused(takeBackup(settings, backups), /Another backup is written into .*process \d+/),
    });
    const before = await readdir(backups);
    await assert.rejects(
      takeBackup(settings, backups, { onCopied: () => Promise.reject(new Error("cut")) }),
      /cut/,
    );
    assert.deepEqual(await readdir(backups), before);
    const disk = await smallDisk(t, 600_000);
    if (disk === null) return t.diagnostic("no file system can be mounted here");
    await refused(takeBackup(settings, disk), /are free in .* no backup was made/);
    const small = { ...settings, SERVICE_DATA_DIR: path.join(disk, "data") };
    await refused(restoreBackup(small, backups), /The restore needs .* are free in .* Nothing was replaced/);
    assert.deepEqual(await readdir(path.join(disk, "data")), ["easel.db.lock"]);
  });
});

test("after a restore unused blobs are kept, until the operator says that they may go", async (t) => {
  const { settings, backups, directory, start } = await newInstance(t);
  const first = await start();
  const byHand = path.join(backups, await takeBackup(settings, backups), "easel.db");
  const orphan = Buffer.from("stored after the backup");
  const { key } = await first.env.blobs.put([orphan] as unknown as AsyncIterable<Uint8Array>);
  await first.stop();
  const later = Date.now() + 3 * 3_600_000;
  const sweepLater = (env: Env) => sweepBlobs({ ...env, clock: () => later });
  await restoreBackup(settings, backups);
  const second = await startWith(t, settings);
  assert.equal(await sweepLater(second.env), 0);
  assert.deepEqual(await (await second.env.blobs.get(key))?.toArray(), [orphan]);
  await endHold(second.env.db);
  await tick(second.env);
  await second.stop();
  await takeBackup(settings, backups);
  // A copy by hand is older than the ticks beside the blobs.
  await rm(path.join(directory, "easel.db"));
  await copyFile(byHand, path.join(directory, "easel.db"));
  const third = await startWith(t, settings);
  await until("the first tick is counted", async () => (await heldUntil(third.env)) !== null);
  assert.equal(await sweepLater(third.env), 0);
  await endHold(third.env.db);
  assert.equal(await sweepLater(third.env), 1);
  assert.equal(await third.env.blobs.get(key), null);
});

test("a database is copied before it is migrated, the newest two copies are kept, and an older release works with one", async (t) => {
  const { settings, directory } = await newInstance(t);
  const older = await temporaryDirectory(t);
  await cp(MIGRATIONS, older, { recursive: true });
  await rm(path.join(older, "postgres"), { recursive: true });
  const migrations = (await readdir(older, { recursive: true })).filter((name) => name.endsWith(".sql"));
  const newest =
    migrations
      .map((name) => path.basename(name))
      .sort()
      .at(-1) ?? "";
  for (const name of migrations) if (path.basename(name) === newest) await rm(path.join(older, name));
  const copy = `before-${newest.slice(0, 4)}.db`;

  /** Runs work as a release without the newest migration would. */
  async function withOlder(work: (db: Db) => Promise<unknown>) {
    const db = await openDb(readConfig(settings), () => {});
    assert.deepEqual((await migrate(db, older)).newer, []);
    await work(db);
    await db.close();
  }
  await withOlder((db) => db.run`insert into instance (singleton, id) values (1, ${newId()})`);
  const nameIn = async (db: Db) =>
    (await db.get<{ name: string }>`select name from users where id = 'u1'`)?.name;

  await withOlder(
    (db) => db.run`insert into users (id, email, name, created_at) values ('u1', 'ada@acme.test', 'Ada', 0)`,
  );
  for (const name of ["before-0001.db", "before-0002.db", copy])
    await writeFile(path.join(directory, name), "");
  const upgraded = await startWith(t, settings);
  assert.equal(await nameIn(upgraded.env.db), "Ada");
  await upgraded.env.db.run`update users set name = 'renamed since' where id = 'u1'`;
  await upgraded.stop();
  const copies = async () => (await readdir(directory)).filter((each) => each.startsWith("before-")).sort();
  assert.deepEqual(await copies(), ["before-0002.db", copy]);
  assert.equal(await modeOf(path.join(directory, copy)), "600");
  await copyFile(path.join(directory, copy), path.join(directory, "easel.db"));
  await withOlder(async (db) => assert.equal(await nameIn(db), "Ada"));
  await rm(path.join(directory, copy));
  const off = await startWith(t, { ...settings, SERVICE_COPY_BEFORE_MIGRATIONS: "off" });
  await off.stop();
  const current = await startWith(t, settings);
  await current.stop();
  assert.deepEqual(await copies(), ["before-0002.db"]);
});

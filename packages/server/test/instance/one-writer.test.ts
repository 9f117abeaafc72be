import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { describe, test } from "node:test";
import { readConfig } from "../../src/config/config.ts";
import { SetupError } from "../../src/config/setting-types.ts";
import { openDb } from "../../src/drivers/index.ts";
import { becomeOnlyWriter, besideService, withoutService } from "../../src/instance/one-writer.ts";
import { serve } from "../../src/service.ts";
import { atEnd, ENGINES, type Scope, startService, temporaryDirectory } from "../support/service.ts";

const [, postgres] = ENGINES;
const LOCK = path.join(import.meta.dirname, "../../src/drivers/db/sqlite-lock.ts");

/** The settings of a service on an empty directory, and lines that waiting for its lock would log. */
async function settingsOf(t: Scope) {
  const directory = await temporaryDirectory(t);
  const environment = { SERVICE_DATA_DIR: directory, SERVICE_PORT: "0", SERVICE_LOG_LEVEL: "silent" };
  const lines: string[] = [];
  const log = { info: (line: string) => void lines.push(line) };
  return { directory, environment, lines, settings: { config: readConfig(environment), log } };
}

/** Starts a process that holds the lock of the database in a directory until it is killed. Rejects if it cannot take the lock. */
async function holdElsewhere(t: Scope, directory: string) {
  const script = `import { lockSqlite } from ${JSON.stringify(LOCK)};
    await lockSqlite(${JSON.stringify(path.join(directory, "easel.db"))}, { waitMs: 0 }).catch(() => process.exit(3));
    setInterval(() => process.stdout.write("held"), 20);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  atEnd(t, kill);
  await Promise.race([
    once(child.stdout as Readable, "data"),
    exited.then(() => assert.fail("the lock is held by another process")),
  ]);
  return { pid: child.pid, kill };
}

describe("one writer of an SQLite database", () => {
  test("a second one is refused, and told who the first one is, until that one is killed", async (t) => {
    const { directory, settings, lines } = await settingsOf(t);
    const { pid, kill } = await holdElsewhere(t, directory);
    await assert.rejects(becomeOnlyWriter(settings, 0), (error) => {
      assert.ok(error instanceof SetupError);
      assert.match(
        error.message,
        new RegExp(`used by process ${pid} on .*, since 20\\d\\d-.*stop that process`),
      );
      return true;
    });
    const second = becomeOnlyWriter(settings, 30_000);
    await kill();
    (await second).release();
    assert.equal(lines.filter((line) => line.includes(`process ${pid} on `)).length, lines.length);
    const { mode } = await stat(path.join(directory, "easel.db.lock"));
    assert.equal(mode & 0o777, 0o600);
  });

  test("a service that starts takes over from one that stops, and a second one in the same process waits", async (t) => {
    const { environment, settings } = await settingsOf(t);
    const options = { seed: async () => {} };
    const first = await serve(environment, options);
    await assert.rejects(becomeOnlyWriter(settings, 0), /used by process/);
    const db = await openDb(settings.config, assert.ifError);
    assert.equal(await besideService(settings.config, db, async () => "done"), "done");
    await db.close();
    const second = serve(environment, options);
    await first.stop();
    await (await second).stop();
    const lock = await becomeOnlyWriter(settings, 0);
    lock.release();
  });

  test("an attempt in the same process leaves the lock in force for other processes", async (t) => {
    const { directory, settings } = await settingsOf(t);
    const lock = await becomeOnlyWriter(settings, 0);
    await assert.rejects(becomeOnlyWriter(settings, 0), /used by process/);
    await assert.rejects(holdElsewhere(t, directory), /the lock is held/);
    lock.release();
  });

  test("a start that fails lets the next one begin", async (t) => {
    const { environment, settings } = await settingsOf(t);
    await assert.rejects(serve({ ...environment, SERVICE_BLOBS_URL: "file:/proc/none" }));
    (await becomeOnlyWriter(settings, 0)).release();
  });

  test("of several that come at once each is alone", async (t) => {
    const { settings } = await settingsOf(t);
    let holders = 0;
    const hold = async () => {
      const lock = await becomeOnlyWriter(settings, 30_000);
      assert.equal(++holders, 1);
      await new Promise(setImmediate);
      holders--;
      lock.release();
    };
    await Promise.all([hold(), hold(), hold()]);
  });

  test("a command that needs the service to be stopped runs before no service, and none starts meanwhile", async (t) => {
    const { settings } = await settingsOf(t);
    assert.equal(
      await withoutService(settings.config, async () => {
        await assert.rejects(becomeOnlyWriter(settings, 0), /used by process/);
        return "done";
      }),
      "done",
    );
    const lock = await becomeOnlyWriter(settings, 0);
    await assert.rejects(
      withoutService(settings.config, async () => assert.fail()),
      /Stop the service first/,
    );
    lock.release();
  });
});

test("on PostgreSQL, too, a command runs without nodes only, also on a database without tables", {
  skip: postgres?.skip,
}, async (t) => {
  const config = readConfig({ SERVICE_DATABASE_URL: (await postgres?.database(t)) ?? "" });
  const db = await openDb(config, assert.ifError);
  atEnd(t, () => db.close());
  const events: string[] = [];
  let others: Promise<unknown> | undefined;
  await withoutService(config, async () => {
    const push = (event: string) => async () => void events.push(event);
    others = Promise.all([db.exclusively(push("migrated")), besideService(config, db, push("administered"))]);
    await db.get`select 1 as one`;
    events.push("restored");
  });
  await others;
  assert.deepEqual(events.slice(1).toSorted(), ["administered", "migrated"]);
  assert.equal(events[0], "restored");
  const { env } = await startService(t, {
    SERVICE_DATABASE_URL: (await postgres?.migratedDatabase(t)) ?? "",
  });
  await assert.rejects(
    withoutService(env.config, async () => assert.fail()),
    /used by the node on .*Stop the service first/,
  );
});

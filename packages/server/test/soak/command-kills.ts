import assert from "node:assert/strict";
import { randomBytes, randomInt } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { type Answer, send } from "@easel/conformance/http";
import connect from "postgres";
import { restoreBackup } from "../../src/backup/restore-backup.ts";
import { takeBackup } from "../../src/backup/take-backup.ts";
import { verifyBackup } from "../../src/backup/verify-backup.ts";
import { SetupError } from "../../src/config/setting-types.ts";
import { copyInstance } from "../../src/copy/copy-instance.ts";
import { joinStores } from "../../src/open-instance.ts";
import { newInstance, startWith } from "../support/backed-up.ts";
import { cookieOf, JSON_TYPE, signIn } from "../support/client.ts";
import { type Command, Killer } from "../support/killed-commands.ts";
import { randomOf } from "../support/random.ts";
import { S3_VARIABLES, type S3Server, startS3 } from "../support/s3-server.ts";
import { ENGINES, type Engine, type Scope, temporaryDirectory } from "../support/service.ts";
import { zip } from "../support/zip.ts";

/*
 * `backup`, `restore` and `copy` as processes that are killed at random moments. `EASEL_TEST_SEED` repeats the moments of a run, as far as the machine
 * does.
 */

const SEED = Number(process.env.EASEL_TEST_SEED ?? randomInt(2 ** 31));
const BACKUPS = 10;
const RESTORES = 12;
const COPIES = 8;
/** The files of the canvas that shows which state an instance has, and their size in bytes. */
const FILES = 8;
const FILE_BYTES = 60_000;
const KEEP = 3;
/** How long each request of S3 waits, in milliseconds. */
const S3_MS = 2;

type Settings = Record<string, string>;

/** Sends requests to a service on an instance whose state is a number: a key has it, and each file of a canvas. */
async function serveOn(scope: Scope, settings: Settings) {
  const { env, stop } = await startWith(scope, settings);
  const base = env.base.origin;
  const session = cookieOf(await signIn(base, { email: "ada@acme.test" }));
  const call = (method: string, at: string, body?: string | Buffer, type = JSON_TYPE): Promise<Answer> =>
    send(base, {
      method,
      path: at,
      headers: [session, type, ["Origin", base]],
      ...(body !== undefined && { body }),
    });
  const find = async () => {
    const { canvases } = (await call("GET", "/api/canvases")).json as { canvases: { id: string }[] };
    return canvases[0]?.id;
  };
  return {
    stop,
    async write(state: number): Promise<void> {
      const made = (await call("POST", "/api/canvases", '{"title":"State","slug":"state"}')).json;
      const id = (await find()) ?? made.id;
      await call("PATCH", `/api/canvases/${id}/capabilities`, '{"backendEnabled":true}');
      const names = Array.from({ length: FILES }, (_, index) => `${index}.bin`);
      const filler = randomBytes(FILE_BYTES);
      const bundle = await zip({
        "index.html": `${state}`,
        ...Object.fromEntries(
          names.map((name) => [name, Buffer.concat([Buffer.from(`${state} `), filler, Buffer.from(name)])]),
        ),
      });
      const deployed = await call("PUT", `/api/canvases/${id}/bundle`, bundle, [
        "Content-Type",
        "application/octet-stream",
      ]);
      assert.equal(deployed.status, 200, deployed.text);
      const put = await call("PUT", "/v1/c/state/kv/state", JSON.stringify(state));
      assert.equal(put.status, 200, put.text);
    },
    /** Returns the state; null for an instance without. Fails if it has two. */
    async read(): Promise<number | null> {
      if ((await find()) === undefined) return null;
      const { value } = (await call("GET", "/v1/c/state/kv/state")).json as { value: number };
      for (let index = 0; index < FILES; index++) {
        const file = await call("GET", `/c/state/${index}.bin`);
        assert.equal(file.status, 200, `${index}.bin of state ${value}: ${file.text.slice(0, 300)}`);
        assert.equal(file.bytes.toString("latin1").split(" ")[0], String(value), "a mix of two states");
      }
      return value;
    },
  };
}

/** Starts a service on an instance, returns its state, and stops the service. */
async function stateOf(scope: Scope, settings: Settings): Promise<number | null> {
  const service = await serveOn(scope, settings);
  try {
    return await service.read();
  } finally {
    await service.stop();
  }
}

/** Returns the result of work; undefined if it is refused in words. */
async function orRefused<Result>(work: Promise<Result>, message: RegExp): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    assert.ok(error instanceof SetupError, String((error as Error).stack));
    assert.match(error.message, message);
    return undefined;
  }
}

async function write(scope: Scope, settings: Settings, state: number): Promise<void> {
  const service = await serveOn(scope, settings);
  await service.write(state);
  await service.stop();
}

/** Where the database and the blobs are. */
interface Place {
  name: string;
  engine: Engine;
  onS3: boolean;
}

const PLACES: Place[] = ENGINES.flatMap((engine) =>
  [false, true].map((onS3) => ({
    name: `${engine.name}, blobs ${onS3 ? "on S3" : "in files"}`,
    engine,
    onS3,
  })),
);

let prefixes = 0;

async function instanceAt(scope: Scope, { engine, onS3 }: Place, server: S3Server) {
  const blobs = onS3 ? { SERVICE_BLOBS_URL: server.url(`${++prefixes}/`), ...S3_VARIABLES } : {};
  const { directory, settings, backups } = await newInstance(scope, engine, blobs);
  await mkdir(backups, { mode: 0o700 });
  return { directory, settings, backups };
}

/** Starts a server of S3 that takes its time, and returns it with what tells its requests. */
async function slowS3(scope: Scope) {
  const server = await startS3(scope);
  let told = () => {};
  server.fault = () => {
    told();
    return { wait: S3_MS };
  };
  const listen = (changed: () => void) => {
    told = changed;
    return () => {
      told = () => {};
    };
  };
  return { server, listen };
}

const command = (
  args: string[],
  settings: Settings,
  watched: string[],
  listen: Command["listen"],
): Command => ({
  args,
  settings,
  watched,
  ...(listen && { listen }),
});

const keysIn = async (directory: string) =>
  (await readdir(directory, { recursive: true }))
    .map((each) => path.basename(each))
    .filter((each) => each.length === 64)
    .sort();

const isBackup = (name: string) => /^\d{4}-/.test(name);

function report(t: TestContext, killer: Killer, found: Map<string, number>): void {
  const what = [...found].map(([each, times]) => `${each}: ${times}`).join(", ");
  t.diagnostic(`seed ${SEED}: ${killer.killed} killed, ${killer.ended} had ended before; ${what}`);
}

const count = (found: Map<string, number>, what: string) => void found.set(what, (found.get(what) ?? 0) + 1);

for (const [index, place] of PLACES.entries()) {
  const { name, engine } = place;
  const skip = engine.skip;

  test(`a backup that is killed leaves the others whole, and the next one no rubbish (${name})`, {
    skip,
  }, async (t) => {
    const { server, listen } = await slowS3(t);
    const { settings, backups } = await instanceAt(t, place, server);
    const service = await serveOn(t, settings);
    const killer = new Killer(randomOf(SEED + index));
    const found = new Map<string, number>();
    const run = command(["backup", backups, "--keep", String(KEEP)], settings, [backups], listen);
    await service.write(0);
    assert.equal((await killer.measure(run)).code, 0);
    for (let state = 1; state <= BACKUPS; state++) {
      await service.write(state);
      const before = (await readdir(backups)).filter(isBackup);
      const { code, said } = await killer.kill(run);
      assert.ok(code === null || code === 0, said);
      const after = (await readdir(backups)).filter(isBackup);
      const kept = before.filter((each) => after.includes(each));
      assert.ok(kept.length >= Math.min(before.length, KEEP - 1), `${before} became ${after}`);
      for (const each of after) await verifyBackup(backups, each);
      count(found, after.length > kept.length ? "complete" : "not made");
      const next = await takeBackup(settings, backups, { keep: KEEP });
      await verifyBackup(backups, next);
      const there = await readdir(backups);
      assert.deepEqual(there.filter((each) => !isBackup(each)).sort(), ["backups.lock", "blobs"]);
      const names = there.filter(isBackup);
      assert.ok(names.length <= KEEP && names.includes(next));
      const lists = await Promise.all(
        names.map((each) => readFile(path.join(backups, each, "blobs.txt"), "utf8")),
      );
      const listed = new Set(
        lists.flatMap((list) =>
          list
            .split("\n")
            .slice(0, -1)
            .map((line) => line.slice(0, 64)),
        ),
      );
      assert.deepEqual(await keysIn(path.join(backups, "blobs")), [...listed].sort());
      assert.deepEqual(await readdir(path.join(backups, "blobs/staging")), []);
    }
    report(t, killer, found);
  });

  test(`an instance whose restore is killed is the old or the new one (${name})`, { skip }, async (t) => {
    const { server, listen } = await slowS3(t);
    const origin = await instanceAt(t, place, server);
    const { settings, backups } = origin;
    const names: string[] = [];
    for (const state of [0, 1]) {
      await write(t, settings, state);
      names[state] = await takeBackup(settings, backups);
    }
    const random = randomOf(SEED + 100 + index);
    const killer = new Killer(random);
    const found = new Map<string, number>();
    const settle = (target: string, to: Settings) =>
      restoreBackup(to, backups, { name: target, replace: true });

    /** Removes what restores have moved aside. */
    async function clean(directory: string, to: Settings): Promise<void> {
      for (const each of await readdir(directory))
        if (/before-restore-/.test(each)) await rm(path.join(directory, each), { recursive: true });
      if (engine.name !== "postgres") return;
      const db = connect(to.SERVICE_DATABASE_URL as string, { max: 1, onnotice() {} });
      for (const {
        name,
      } of await db`select nspname as name from pg_namespace where nspname like 'before\_restore\_%'`)
        await db.unsafe(`drop schema ${name} cascade`);
      await db.end();
    }

    // Over the instance itself, and onto another machine: with an instance of its own, or one that was never started.
    const kinds = ["itself", "another", "new"] as const;
    const measured = new Map<string, Killer>();
    for (let round = 0; round < RESTORES; round++) {
      const kind = kinds[round % kinds.length] ?? "itself";
      const state = Math.floor(random() * 2);
      const target = names[state] as string;
      const onto = kind === "itself" ? origin : await instanceAt(t, place, server);
      let before: number | null = null;
      if (kind === "itself") before = await stateOf(t, settings);
      // A bucket with blobs of another instance is refused, so that this one has none.
      if (kind === "another" && place.onS3) await stateOf(t, onto.settings);
      if (kind === "another" && !place.onS3) {
        before = 7;
        await write(t, onto.settings, before);
      }
      // Blobs are missing, which the restore brings back.
      const isDamaged = kind === "itself" && before === state;
      if (isDamaged)
        for (const key of (await keysIn(onto.directory)).slice(0, 3))
          await rm(path.join(onto.directory, "blobs", key.slice(0, 2), key));
      const run = command(["restore", backups, target, "--replace"], onto.settings, [onto.directory], listen);
      const its = measured.get(kind) ?? new Killer(random);
      if (!measured.has(kind)) {
        measured.set(kind, its);
        const whole = await its.measure(run);
        assert.equal(whole.code, 0, whole.said);
        assert.equal(await stateOf(t, onto.settings), state);
        await clean(onto.directory, onto.settings);
        continue;
      }
      const { code, said } = await its.kill(run);
      assert.ok(code === null || code === 0, said);
      const goesOn = isDamaged || random() < 0.5;
      if (goesOn) await settle(target, onto.settings);
      try {
        const now = await stateOf(t, onto.settings);
        if (goesOn) assert.equal(now, state);
        else assert.ok(now === state || now === before, `${now} instead of ${state} or ${before}: ${said}`);
        count(found, goesOn ? "repeated" : now === state ? "new" : "old");
        assert.deepEqual(
          (await readdir(onto.directory)).filter(
            (each) => /^restoring$|restoring\.new/.test(each) && engine.name === "sqlite",
          ),
          [],
        );
      } catch (error) {
        // Blobs that were put into an empty place belong to no instance yet.
        assert.ok(!goesOn && kind === "new" && error instanceof SetupError, String((error as Error).stack));
        assert.match(error.message, /belong|instance/);
        count(found, `refused (${(error as Error).message.slice(0, 60)} …)`);
        await settle(target, onto.settings);
        assert.equal(await stateOf(t, onto.settings), state);
      }
      await settle(target, onto.settings);
      assert.equal(await stateOf(t, onto.settings), state);
      assert.deepEqual(
        (await readdir(onto.directory)).filter((each) => /restoring/.test(each)),
        [],
      );
      await clean(onto.directory, onto.settings);
    }
    for (const { killed, ended } of measured.values()) {
      killer.killed += killed;
      killer.ended += ended;
    }
    report(t, killer, found);
  });
}

test("a copy that is killed leaves the source as it was, and is finished by the next one (both ways)", {
  skip: ENGINES.find(({ name }) => name === "postgres")?.skip ?? "PostgreSQL is not installed",
}, async (t) => {
  const { server, listen } = await slowS3(t);
  const [sqlite, postgres] = ENGINES as [Engine, Engine];
  const files = await instanceAt(t, { name: "", engine: sqlite, onS3: false }, server);
  await write(t, files.settings, 5);
  const bucket = await instanceAt(t, { name: "", engine: postgres, onS3: true }, server);
  await write(t, bucket.settings, 6);
  const random = randomOf(SEED + 200);
  const found = new Map<string, number>();
  const total = new Killer(random);
  for (const { source, state } of [
    { source: files, state: 5 },
    { source: bucket, state: 6 },
  ]) {
    const killer = new Killer(random);
    for (let round = 0; round <= COPIES; round++) {
      const folder = await temporaryDirectory(t);
      const target =
        state === 5
          ? { database: await postgres.database(t), blobs: server.url(`copy-${round}/`) }
          : {
              database: `sqlite:${path.join(folder, "easel.db")}`,
              blobs: `file:${path.join(folder, "blobs")}`,
            };
      const settings = { ...source.settings, ...S3_VARIABLES };
      const copied = {
        ...settings,
        SERVICE_DATA_DIR: folder,
        SERVICE_DATABASE_URL: target.database,
        SERVICE_BLOBS_URL: target.blobs,
      };
      const run = command(
        ["copy", "--to", target.database, "--blobs", target.blobs],
        settings,
        [folder, source.directory],
        listen,
      );
      const { code, said } = round === 0 ? await killer.measure(run) : await killer.kill(run);
      assert.ok(code === null || code === 0, said);
      const served = await orRefused(stateOf(t, settings), /was copied, and the copy has taken its place/);
      assert.ok(served === undefined || served === state);
      count(found, served === state ? "source in use" : "copy in use");
      // A service that starts on a place in which nothing is yet makes a new instance there.
      const isBegun = served === undefined || /Copied/.test(said);
      if (served === state && isBegun)
        assert.equal(
          await orRefused(stateOf(t, copied), /copy that has not been finished|belong/),
          undefined,
        );
      if (code !== 0)
        await orRefused(copyInstance(settings, target), /is of this instance already|was copied/);
      assert.equal(await stateOf(t, copied), state);
      assert.equal(
        await orRefused(stateOf(t, settings), /was copied, and the copy has taken its place/),
        undefined,
      );
      await joinStores(settings);
      assert.equal(await stateOf(t, settings), state);
    }
    total.killed += killer.killed;
    total.ended += killer.ended;
  }
  report(t, total, found);
});

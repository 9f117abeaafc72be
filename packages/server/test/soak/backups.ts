import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { restoreBackup } from "../../src/backup/restore-backup.ts";
import { takeBackup } from "../../src/backup/take-backup.ts";
import { verifyBackup } from "../../src/backup/verify-backup.ts";
import { SetupError } from "../../src/config/setting-types.ts";
import { signIn, startProcess } from "../support/process.ts";
import { temporaryDirectory } from "../support/service.ts";
import { fill, smallDisk } from "../support/small-disk.ts";
import { zip } from "../support/zip.ts";

const BACKUPS = 100;
const WRITES = 30_000;
const WRITERS = 12;
const DEPLOYERS = 2;
const FILES = 5;
/** The time between two deploys of a canvas, in milliseconds. */
const DEPLOY_EVERY_MS = 250;

/** What was acknowledged: the last value of each key, and the number of the last bundle of each canvas. */
interface Acknowledged {
  keys: number[];
  bundles: number[];
}

/** A client of a service that writes and deploys until it is told to stop. */
class Load {
  readonly acknowledged: Acknowledged = { keys: Array(WRITERS).fill(0), bundles: Array(DEPLOYERS).fill(0) };
  writes = 0;
  deploys = 0;
  /** The longest time in which no write was acknowledged, in milliseconds. */
  longest = 0;
  /** The number of writes after which the writers wait. */
  allowed = 0;
  #last = performance.now();
  #stopped = false;
  readonly #base: string;
  readonly #headers: { cookie: string };

  constructor(base: string, headers: { cookie: string }) {
    this.#base = base;
    this.#headers = headers;
  }

  run(canvases: { id: string }[]): Promise<unknown> {
    return Promise.all([
      ...this.acknowledged.keys.map((_, writer) => this.#write(writer)),
      ...canvases.map(({ id }, deployer) => this.#deploy(id, deployer)),
    ]);
  }

  stop(): void {
    this.#stopped = true;
  }

  async make(title: string): Promise<{ id: string }> {
    return (await (await this.#send("POST", "/api/canvases", JSON.stringify({ title }))).json()) as {
      id: string;
    };
  }

  async #send(method: string, at: string, body: string | Buffer, type = "application/json") {
    const headers = { ...this.#headers, "content-type": type };
    return await fetch(this.#base + at, { method, headers, body });
  }

  /** Puts 1, 2, 3 … into a key of its own. */
  async #write(writer: number): Promise<void> {
    for (let value = 1; !this.#stopped; value++) {
      while (this.writes >= this.allowed && !this.#stopped) {
        await sleep(1);
        this.#last = performance.now();
      }
      const put = await this.#send("PUT", `/v1/c/guestbook/kv/writer-${writer}`, JSON.stringify({ value }));
      assert.equal(put.status, 200);
      await put.arrayBuffer();
      const now = performance.now();
      this.longest = Math.max(this.longest, now - this.#last);
      this.#last = now;
      this.acknowledged.keys[writer] = value;
      this.writes++;
    }
  }

  /** Deploys bundles whose files all have the number of the bundle. */
  async #deploy(canvas: string, deployer: number): Promise<void> {
    for (let number = 1; !this.#stopped; number++) {
      const names = ["index.html", ...Array.from({ length: FILES }, (_, index) => `${index}.txt`)];
      const bundle = await zip(
        Object.fromEntries(names.map((name) => [name, `${name} ${deployer} ${number}`])),
      );
      const put = await this.#send(
        "PUT",
        `/api/canvases/${canvas}/bundle`,
        bundle,
        "application/octet-stream",
      );
      assert.equal(put.status, 200, await put.text());
      this.acknowledged.bundles[deployer] = number;
      this.deploys++;
      await sleep(DEPLOY_EVERY_MS);
    }
  }
}

/** Compares a restored instance with what had been acknowledged before its backup was begun. */
async function compare(directory: string, canvases: { id: string }[], before: Acknowledged): Promise<void> {
  const db = new DatabaseSync(path.join(directory, "easel.db"), { readOnly: true });
  try {
    const key = db.prepare("select number, value from kv where key = ?");
    for (const [writer, acknowledged] of before.keys.entries()) {
      if (acknowledged === 0) continue;
      const row = key.get(Buffer.from(`writer-${writer}`)) as
        | { number: number | null; value: string | null }
        | undefined;
      const value = row?.number ?? (JSON.parse(row?.value ?? "{}") as { value?: number }).value ?? 0;
      assert.ok(value >= acknowledged, `writer ${writer}: ${value} instead of ${acknowledged}`);
    }
    const files = db.prepare(
      "select path, blob_key as key from version_files join canvases on canvases.version_id = version_files.version_id where canvases.id = ? and encoding = 'identity'",
    );
    for (const [deployer, acknowledged] of before.bundles.entries()) {
      if (acknowledged === 0) continue;
      const rows = files.all(canvases[deployer]?.id ?? "") as { path: string; key: string }[];
      assert.equal(rows.length, FILES + 1);
      const contents = await Promise.all(
        rows.map(({ key }) => text(createReadStream(path.join(directory, "blobs", key.slice(0, 2), key)))),
      );
      const numbers = new Set(contents.map((content) => Number(content.split(" ").at(-1))));
      assert.equal(numbers.size, 1, `half a bundle: ${[...numbers]}`);
      assert.ok(([...numbers][0] ?? 0) >= acknowledged, `bundle ${[...numbers]} instead of ${acknowledged}`);
    }
  } finally {
    db.close();
  }
}

test(`${BACKUPS} backups amid ${WRITES} writes and deploys: none has lost or halved what was acknowledged before it`, async (t) => {
  const directory = await temporaryDirectory(t);
  const target = await temporaryDirectory(t);
  const backups = path.join(await temporaryDirectory(t), "backups");
  const service = await startProcess(t, directory);
  const load = new Load(service.base, await signIn(service.base));
  const canvases = await Promise.all(Array.from({ length: DEPLOYERS }, (_, n) => load.make(`Canvas ${n}`)));
  const running = load.run(canvases);
  const taken: { name: string; before: Acknowledged }[] = [];
  const times: number[] = [];
  while (taken.length < BACKUPS || load.writes < WRITES) {
    const wanted = (WRITES / BACKUPS) * taken.length;
    load.allowed = wanted + (2 * WRITES) / BACKUPS;
    if (taken.length === BACKUPS || load.writes < wanted) {
      await sleep(5);
      continue;
    }
    const before = structuredClone(load.acknowledged);
    const begun = performance.now();
    const name = await takeBackup({ SERVICE_DATA_DIR: directory }, backups);
    times.push(performance.now() - begun);
    taken.push({ name, before });
  }
  load.stop();
  await running;
  await service.end("SIGKILL");
  for (const { name, before } of taken) {
    await restoreBackup({ SERVICE_DATA_DIR: target }, backups, { name });
    await compare(target, canvases, before);
    for (const aside of (await readdir(target)).filter((each) => each.startsWith("before-restore-")))
      await rm(path.join(target, aside), { recursive: true });
  }
  // Over the instance that was killed, with its log.
  const last = taken.at(-1);
  await restoreBackup({ SERVICE_DATA_DIR: directory }, backups, { name: last?.name });
  await compare(directory, canvases, last?.before ?? load.acknowledged);
  const again = await startProcess(t, directory);
  assert.equal((await fetch(`${again.base}/readyz`)).status, 200);
  times.sort((a, b) => a - b);
  t.diagnostic(
    `${load.writes} writes and ${load.deploys} deploys acknowledged; a backup took ${Math.round(times[BACKUPS / 2] ?? 0)} ms in the median, ` +
      `${Math.round(times.at(-1) ?? 0)} ms at most; no write was acknowledged for ${Math.round(load.longest)} ms at most`,
  );
});

test("a full disk: the backup says so, and the one before it stays whole", async (t) => {
  const disk = await smallDisk(t, 40_000_000);
  if (disk === null) return t.diagnostic("no file system can be mounted here");
  const directory = await temporaryDirectory(t);
  const service = await startProcess(t, directory);
  await signIn(service.base);
  const settings = { SERVICE_DATA_DIR: directory };
  const name = await takeBackup(settings, disk);
  const full = (error: unknown) =>
    error instanceof SetupError &&
    /no backup was made/.test(error.message) &&
    /free|full/.test(error.message);
  for (const left of [0, 100_000]) {
    const filler = await fill(disk, left);
    await assert.rejects(takeBackup(settings, disk), full);
    await rm(filler);
  }
  // The copy of the database fits, and what comes after it does not.
  await assert.rejects(
    takeBackup(settings, disk, { onCopied: async () => void (await fill(disk, 0)) }),
    full,
  );
  await rm(path.join(disk, "filler"));
  assert.deepEqual((await readdir(disk)).filter((each) => each !== "blobs").sort(), [name, "backups.lock"]);
  await verifyBackup(disk, name);
  await verifyBackup(disk, await takeBackup(settings, disk));
});

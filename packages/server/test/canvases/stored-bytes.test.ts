import assert from "node:assert/strict";
import { before, it } from "node:test";
import { gzipSync } from "node:zlib";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import fc from "fast-check";
import { WorkLists } from "../../src/async/background.ts";
import { TaskPool } from "../../src/async/task-pool.ts";
import { announceBlobs } from "../../src/canvases/bundle-blobs.ts";
import { purgeCanvases } from "../../src/canvases/deletion.ts";
import type { BundleFile } from "../../src/canvases/publishing/bundle.ts";
import { createCanvas } from "../../src/canvases/publishing/create.ts";
import { publishStored, storeVersion } from "../../src/canvases/publishing/deploy.ts";
import {
  addFiles,
  cancelDeploy,
  finishDeploy,
  missingBlobs,
  receiveFile,
  stageDeploy,
} from "../../src/canvases/publishing/staging.ts";
import { sweepStaged } from "../../src/canvases/staged-deploys.ts";
import { sweepBlobs } from "../../src/canvases/sweep.ts";
import { deleteCanvas } from "../../src/canvases/update.ts";
import { removeOfCanvas, sweepVersions } from "../../src/canvases/version-files.ts";
import { deleteVersion } from "../../src/canvases/versions.ts";
import { newId } from "../../src/crypto/ids.ts";
import type { Db } from "../../src/drivers/db/db.ts";
import type { Env } from "../../src/env.ts";
import { keysOf } from "../drivers/blobs-contract.ts";
import { onEngines } from "../support/engines.ts";
import { sha256 } from "../support/staged.ts";
import { recount } from "../support/stored-bytes.ts";
import { newWork } from "../support/work.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Text whose gzip variant is worth compressing again, the variant as a file, and other contents. */
const ZEROS = "0".repeat(100_000);
const CONTENTS = [
  ZEROS,
  gzipSync(ZEROS, { level: 9 }),
  ...["a", "b", "c"].map((each) => `${each} word `.repeat(200)),
  "small",
  "",
].map((each) => Buffer.from(each));
const TEXTS = new Map(CONTENTS.map((content) => [sha256(content), content]));

const streamOf = async function* (content: Buffer) {
  yield content;
};

/** One step: what is done, to which canvas, with which contents, and after how many writes the process ends; null if it does not. */
const STEP = fc.record({
  act: fc.constantFrom(
    "deploy",
    "deploy",
    "stage",
    "upload",
    "upload",
    "finish",
    "cancel",
    "delete",
    "sweep",
    "purge",
  ),
  canvas: fc.nat(1),
  files: fc.uniqueArray(fc.nat(CONTENTS.length - 1), { minLength: 1, maxLength: 4 }),
  dies: fc.option(fc.integer({ min: 0, max: 9 }), { freq: 2 }),
});
type Step = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never;

/** Wraps an environment: after `writes` writes to the database and the blob store, every further one fails, as if the process had ended. */
function dying(env: Env, writes: number | null): Env {
  let left = writes ?? Number.POSITIVE_INFINITY;
  const living =
    <Args extends unknown[], Result>(write: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (left-- <= 0) throw new Error("the process has ended");
      return write(...args);
    };
  const { run, batch, returning } = env.db;
  const db = { ...env.db, run: living(run), batch: living(batch) } as Db;
  Object.assign(db, { returning: living(returning as never), withReserve: db });
  const blobs = { ...env.blobs, put: living(env.blobs.put), remove: living(env.blobs.remove) };
  const pool = new TaskPool({ running: 2, runningEach: 1, waitingEach: 1 });
  const log = Object.assign(Object.create(env.log), { error() {} });
  return { ...env, db, blobs, log, compressions: new WorkLists(pool, () => {}) };
}

await onEngines("the bytes that bundles count", (target, env) => {
  let user: { id: string; email: string };
  let site: Stage;
  before(async () => {
    site = await stage(target);
    const { json } = await manage(target, site.people.owner, "GET", "/api/me");
    user = { id: String(json.id), email: String(json.email) };
  });

  const filesOf = (numbers: number[]): (BundleFile & { content: Buffer })[] =>
    numbers.map((number, index) => {
      const content = CONTENTS[number] as Buffer;
      // The same contents are worth compressing under some names, and not under others.
      const path = `${number}-${index}.${(number + index) % 3 === 0 ? "bin" : "txt"}`;
      return { path, content, size: content.length, open: async () => streamOf(content) };
    });

  class Game {
    readonly canvases: string[] = [];
    readonly staged: { id: string; canvasId: string; userId: string }[] = [];

    readonly created: string[] = [];

    async create(): Promise<string> {
      const { id } = await createCanvas(user, { title: "Tea", tags: [] }, env);
      this.created.push(id);
      return id;
    }

    async play({ act, canvas, files, dies }: Step): Promise<void> {
      const own = dying(env, dies);
      const canvasId = this.canvases[canvas] as string;
      try {
        await this.#do(act, canvasId, files, own);
      } catch {
        // The step was refused, or the process has ended.
      }
      await own.compressions.settled();
      if (act === "purge") this.canvases[canvas] = await this.create();
    }

    async #do(act: Step["act"], canvasId: string, numbers: number[], own: Env): Promise<void> {
      const files = filesOf(numbers);
      const deploy = this.staged.findLast((each) => each.canvasId === canvasId);
      const later = { ...own, clock: () => Date.now() + 2 * HOUR_MS };
      if (act === "deploy") await publishStored(await storeVersion(canvasId, user.id, files, own), own);
      if (act === "stage") {
        const listed = files.map(({ path, content }) => ({
          path,
          key: sha256(content),
          size: content.length,
        }));
        const { id } = await stageDeploy(canvasId, user.id, { files: listed }, newWork(), own);
        this.staged.push({ id, canvasId, userId: user.id });
      }
      if (act === "upload" && deploy !== undefined)
        await Promise.allSettled(
          (await missingBlobs(deploy, own)).map(async (key) => {
            const source = streamOf(TEXTS.get(key) as Buffer);
            await addFiles(deploy, await receiveFile(deploy, key, 0, source, own), own);
          }),
        );
      if (act === "finish" && deploy !== undefined) await finishDeploy(deploy, true, own);
      if (act === "cancel" && deploy !== undefined) await cancelDeploy(deploy, own);
      if (act === "delete") {
        const [version] = await env.db.all<{ id: string }>`
          select id from versions where canvas_id = ${canvasId} and state = 'stored' and replaced_at is not null limit 1`;
        if (version !== undefined) await deleteVersion(canvasId, version.id, own);
        await removeOfCanvas(canvasId, own);
      }
      if (act === "sweep") await this.sweep(later);
      if (act === "purge") {
        await deleteCanvas(canvasId, own);
        await purgeCanvases({ ...own, clock: () => Date.now() + 31 * DAY_MS });
      }
    }

    async sweep(later: Env): Promise<void> {
      await sweepStaged(later);
      await sweepVersions(later.clock() - HOUR_MS, later);
      await sweepBlobs({ ...later, clock: () => later.clock() + 2 * HOUR_MS });
    }

    /** Asserts that the counters are what the tables say, and that the blobs are there that the tables say. */
    async check(): Promise<void> {
      const counters = await env.db.all<{ id: string; bytes: number }>`
        select canvas_id as id, bytes from bundle_bytes`;
      for (const { id, bytes } of counters) assert.equal(Number(bytes), await recount(id, env));
      const rows = await env.db.all<{
        key: string;
        uses: number;
      }>`select blob_key as key, uses from bundle_blobs`;
      const keys = new Set(rows.map(({ key }) => key));
      const stored = await keysOf(env.blobs);
      assert.deepEqual(
        stored.filter((key) => !keys.has(key)),
        [],
        "a blob is stored and not counted",
      );
      const used = rows.filter(({ uses }) => uses > 0).map(({ key }) => key);
      assert.deepEqual(
        used.filter((key) => !stored.includes(key)),
        [],
        "a blob is used and not stored",
      );
    }
  }

  it("are exact after any sequence of deploys, removals and ends of the process, and nothing is stored uncounted", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(STEP, { minLength: 1, maxLength: 2 }), { maxLength: 12 }),
        async (turns) => {
          const game = new Game();
          game.canvases.push(await game.create(), await game.create());
          for (const steps of turns) {
            // The clock of sweeps and purges is ahead, so uploads that run at the same time would be too old for them.
            const alone = steps.some(({ act }) => act === "sweep" || act === "purge");
            for (const together of alone ? steps.map((step) => [step]) : [steps])
              await Promise.all(together.map((step) => game.play(step)));
            await game.check();
          }
          const later = { ...env, clock: () => Date.now() + 2 * HOUR_MS };
          // The variants of variants are released by the second sweep.
          for (let times = 0; times < 3; times++) await game.sweep(later);
          await game.check();
          assert.deepEqual(await env.db.all`select blob_key from bundle_blobs where uses <= 0`, []);
          assert.deepEqual(await env.db.all`select id from staged_deploys`, []);
          for (const id of game.created) await deleteCanvas(id, env);
          await purgeCanvases({ ...env, clock: () => Date.now() + 31 * DAY_MS });
          assert.deepEqual(await keysOf(env.blobs), []);
        },
      ),
      { numRuns: 12, endOnFailure: true },
    );
  });

  for (const claim of ["stands", "has ended"])
    it(`a blob that is announced, whose claim ${claim}, counts once and is not swept for an hour, also if it was stored long ago`, async () => {
      const content = Buffer.from(`announced, and the claim ${claim}`);
      const blob = await env.blobs.put(streamOf(content));
      const at = (ms: number) => ({ ...env, clock: () => Date.now() + ms });
      const state = async () => [
        (await env.db.all`select blob_key from bundle_blobs where blob_key = ${blob.key}`).length,
        (await keysOf(env.blobs)).includes(blob.key),
      ];
      for (const _ of ["first", "again"])
        assert.equal(await announceBlobs(site.id, newId(), [blob], at(2 * HOUR_MS)), "done");
      if (claim === "has ended") await env.db.run`delete from blob_claims where blob_key = ${blob.key}`;
      for (const [ms, expected] of [
        [2 * HOUR_MS, [1, true]],
        [3 * HOUR_MS - 60_000, [1, true]],
        [3 * HOUR_MS + 60_000, [0, false]],
      ] as const) {
        await sweepBlobs(at(ms));
        assert.deepEqual(await state(), expected);
        const row = await env.db.get<{
          bytes: number;
        }>`select bytes from bundle_bytes where canvas_id = ${site.id}`;
        assert.equal(Number(row?.bytes), await recount(site.id, env));
      }
    });

  it("a staged deploy keeps no list once it is finished, answers with its warnings, and has no row once it is cancelled", async () => {
    const content = CONTENTS[2] as Buffer;
    const manifest = { files: [{ path: "page.html", key: sha256(content), size: content.length }] };
    const begin = async () => {
      const { id } = await stageDeploy(site.id, user.id, manifest, newWork(), env);
      return { id, canvasId: site.id, userId: user.id };
    };
    const rows = () => env.db.all`select files, message from staged_deploys where canvas_id = ${site.id}`;
    const cancelled = await begin();
    await cancelDeploy(cancelled, env);
    assert.deepEqual(await rows(), []);
    const place = await begin();
    await addFiles(place, await receiveFile(place, sha256(content), 0, streamOf(content), env), env);
    const first = await finishDeploy(place, true, env);
    assert.deepEqual(await rows(), [{ files: "", message: null }]);
    assert.deepEqual(await finishDeploy(place, true, env), first);
    await env.compressions.settled();
    const row = await env.db.get<{
      bytes: number;
    }>`select bytes from bundle_bytes where canvas_id = ${site.id}`;
    assert.equal(Number(row?.bytes), await recount(site.id, env));
  });
});

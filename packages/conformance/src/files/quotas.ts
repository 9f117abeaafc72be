import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { quotasOf, setQuotas } from "../admin.ts";
import { add as addRecord } from "../collections/entry.ts";
import { type Cast, cast, manage, type Stage, stage } from "../fixture.ts";
import { parallel } from "../parallel.ts";
import { govern } from "../policy.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { formOf, PLACES, type Place, upload } from "./form.ts";
import { announce, hold } from "./held.ts";
import { add, filesIn, idsOf, pathOf } from "./record.ts";

const FILE = 1_000;
const CANVAS = 2_500;
const KiB = 1024;

const sized = (size: number) => ({ bytes: Buffer.alloc(size, "x") });

/** Tests the quotas on the bytes of one file and of all files of a canvas. An administrator lowers both for these tests. */
export function quotas(target: Target): void {
  describe("quotas", () => {
    let people: Cast;
    let quotas: Record<string, number>;
    before(async () => {
      people = await cast(target);
      quotas = await quotasOf(target);
      await setQuotas(target, { "files.bytes.file": FILE, "files.bytes.canvas": CANVAS });
    });
    after(async () => {
      const names = ["files.bytes.file", "files.bytes.canvas"];
      await setQuotas(target, Object.fromEntries(names.map((name) => [name, quotas[name] ?? null])));
    });
    const used = async ({ id }: Stage) => {
      const { json } = await manage(target, people.owner, "GET", `/api/canvases/${id}/usage`);
      const counts = json.counts as Record<string, { used: number; limit: number }>;
      assert.deepEqual(
        [counts["files.bytes.file"]?.limit, counts["files.bytes.canvas"]?.limit],
        [FILE, CANVAS],
      );
      return { canvas: counts["files.bytes.canvas"]?.used, file: counts["files.bytes.file"]?.used };
    };
    /** Creates a canvas whose quota for files has this many bytes left. */
    const withRoom = async (room: number) => {
      const canvas = await stage(target, { people });
      for (let left = CANVAS - room; left > 0; left -= FILE)
        await add(canvas.pages.owner, {}, sized(Math.min(left, FILE)));
      return canvas;
    };

    it("a file of the quota's size is stored; one byte more: 413 FILE_TOO_LARGE", async () => {
      const canvas = await stage(target, { people });
      const { owner } = canvas.pages;
      const made = await add(owner, {}, sized(FILE));
      for (const size of [FILE + 1, 2 * FILE, 100 * KiB])
        refused(await upload(owner, {}, sized(size)), 413, "FILE_TOO_LARGE");
      assert.deepEqual(idsOf(await filesIn(owner)), idsOf([made]));
      assert.deepEqual(await used(canvas), { canvas: FILE, file: FILE });
    });

    it("a file that fills the canvas is stored; one byte more: 409 QUOTA_EXCEEDED, in any scope", async () => {
      const canvas = await withRoom(500);
      await govern(target, canvas, {
        fileGroups: { photos: { preset: "collaborative" } },
        collections: { board: { preset: "collaborative" } },
      });
      const { owner, viewer } = canvas.pages;
      const recordId = (await addRecord(viewer, "board", 1)).id;
      const targets = [{ scope: "submission" }, { group: "photos" }, { collection: "board", recordId }];
      for (const fields of targets) refused(await upload(viewer, fields, sized(501)), 409, "QUOTA_EXCEEDED");
      const last = await add(owner, {}, sized(500));
      assert.deepEqual(await used(canvas), { canvas: CANVAS, file: FILE });
      for (const fields of targets) refused(await upload(viewer, fields, sized(1)), 409, "QUOTA_EXCEEDED");
      assert.deepEqual(await used(canvas), { canvas: CANVAS, file: FILE });

      answered(await owner.delete(pathOf(last)), { ok: true });
      await add(viewer, { collection: "board", recordId }, sized(500));
      refused(await upload(owner, {}, sized(1)), 409, "QUOTA_EXCEEDED");
      answered(await viewer.delete(`/collections/board/${recordId}`), {
        ok: true,
        attachmentCleanupFailed: 0,
      });
      assert.deepEqual(await used(canvas), { canvas: 2_000, file: FILE });
      await add(owner, {}, sized(500));
    });

    it("usage: the bytes of all files, and those of the largest; each canvas has its own", async () => {
      const [canvas, other] = [await stage(target, { people }), await stage(target, { people })];
      const { owner, viewer } = canvas.pages;
      assert.deepEqual(await used(canvas), { canvas: 0, file: 0 });
      const large = await add(owner, {}, sized(700));
      await add(viewer, { scope: "submission" }, sized(50));
      await add(owner, {}, sized(0));
      assert.deepEqual(await used(canvas), { canvas: 750, file: 700 });
      assert.deepEqual(await used(other), { canvas: 0, file: 0 });
      await owner.delete(pathOf(large));
      assert.deepEqual(await used(canvas), { canvas: 50, file: 50 });
    });

    it("concurrent uploads do not exceed the quota together", async () => {
      const canvas = await stage(target, { people });
      const answers = await parallel(Array.from({ length: 12 }), () =>
        upload(canvas.pages.viewer, { scope: "submission" }, sized(500)),
      );
      const stored = answers.filter(({ status }) => status === 201);
      assert.equal(stored.length, CANVAS / 500);
      for (const answer of answers) if (answer.status !== 201) refused(answer, 409, "QUOTA_EXCEEDED");
      assert.equal((await filesIn(canvas.pages.viewer)).length, stored.length);
      assert.deepEqual(await used(canvas), { canvas: CANVAS, file: 500 });
    });

    it("an upload is cut off at either quota, not at its end", async () => {
      const [canvas, full] = [await stage(target, { people }), await withRoom(100)];
      for (const place of PLACES) {
        const long = await hold(target, canvas, people.viewer, { scope: "submission" }, FILE + 300, place);
        refused(await long.refusal(), 413, "FILE_TOO_LARGE");
        const past = await hold(target, full, people.viewer, { scope: "submission" }, 500, place);
        refused(await past.refusal(), 409, "QUOTA_EXCEEDED");
      }
    });

    it("a Content-Length above the maximum of a file: 413 at the first bytes, after the other checks", async () => {
      const canvas = await stage(target, { people });
      const begin = async (fields: Record<string, string>) =>
        announce(
          target,
          canvas,
          people.viewer,
          [["Content-Length", String(1024 ** 3)]],
          formOf(fields, sized(10)).subarray(0, -40),
        );
      for (const fields of [{ scope: "submission" }, {}, { collection: "none" }])
        refused(await begin(fields), 413, "FILE_TOO_LARGE");
      refused(await begin({ scope: "shared" }), 403, "PERMISSION_DENIED");
      refused(await begin({ group: "none" }), 404, "NOT_FOUND");
    });

    it("a quota that is filled during an upload: 409, and nothing of it is stored", async () => {
      const canvas = await withRoom(600);
      const begin = (place: Place) =>
        hold(target, canvas, people.viewer, { scope: "submission" }, 500, place);
      const held = [await begin("last"), await begin("first")];
      const first = await add(canvas.pages.viewer, { scope: "submission" }, sized(500));
      for (const each of held) refused(await each.finish(), 409, "QUOTA_EXCEEDED");
      const own = (await filesIn(canvas.pages.viewer)).filter(({ scope }) => scope === "submission");
      assert.deepEqual(idsOf(own), idsOf([first]));
      assert.deepEqual(await used(canvas), { canvas: CANVAS - 100, file: FILE });
    });
  });
}

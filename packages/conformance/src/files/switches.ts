import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { spend } from "../bucket.ts";
import { type Cast, cast, stage, turn } from "../fixture.ts";
import { JSON_TYPE, type Page } from "../page.ts";
import { govern } from "../policy.ts";
import { disabled, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { upload } from "./form.ts";
import { add, contentOf, filesIn, pathOf } from "./record.ts";

const everyRoute = async (page: Page, file: { id: string }) => [
  await page.get("/files"),
  await page.get("/files?limit=0"),
  await page.get("/files?group=none"),
  await upload(page),
  await page.post("/files", 1),
  await page.get(contentOf(file)),
  await page.send("PATCH", pathOf(file), [JSON_TYPE], '{"name":"b"}'),
  await page.delete(pathOf(file)),
  await page.get(contentOf({ id: "f-1" })),
  await page.put("/files", 1),
];

/** Tests the switch that turns files on and off for a canvas. */
export function switches(target: Target): void {
  describe("switches", () => {
    let people: Cast;
    before(async () => {
      people = await cast(target);
    });
    for (const [off, reason] of [
      [{ files: false }, "feature_off"],
      [{ backendEnabled: false }, "backend_off"],
    ] as const) {
      it(`${reason}: every route is CAPABILITY_DISABLED for everyone, and what was stored is kept`, async () => {
        const canvas = await stage(target, { people });
        await govern(target, canvas, { fileGroups: { photos: { preset: "collaborative" } } });
        const { owner, viewer } = canvas.pages;
        const [file] = [await add(owner), await add(viewer, { group: "photos" })];
        const before = await filesIn(owner);
        await turn(target, canvas, off);
        for (const page of [owner, viewer])
          for (const answer of await everyRoute(page, file)) disabled(answer, "files", reason);
        if (reason === "feature_off") {
          const { permissions, resources } = (await owner.get("/me")).json as Record<string, object>;
          assert.doesNotMatch(JSON.stringify((resources as { fileGroups: object }).fileGroups), /true/);
          const { canUploadSharedFiles, canUploadSubmissionFiles } = permissions as Record<string, boolean>;
          assert.deepEqual([canUploadSharedFiles, canUploadSubmissionFiles], [false, false]);
        }
        await turn(target, canvas, { backendEnabled: true, files: true });
        assert.deepEqual(await filesIn(owner), before);
        assert.equal((await viewer.get(contentOf(file))).text, "content");
      });
    }

    it("while KV is off, files are on, except attachments", async () => {
      const canvas = await stage(target, { people, switches: { kv: false } });
      const file = await add(canvas.pages.owner);
      assert.equal((await canvas.pages.viewer.get(contentOf(file))).text, "content");
    });
  });
}

/** Tests that requests for files and requests for the key-value store count against the same rate limit. */
export function rates(target: Target): void {
  describe("rates", () => {
    it("one bucket with the key-value store; a refused request changes nothing", async () => {
      const canvas = await stage(target);
      const { owner, viewer } = canvas.pages;
      const file = await add(owner);
      const asks = [
        () => viewer.get(contentOf(file)),
        () => viewer.get("/kv"),
        () => viewer.get("/files"),
        () => viewer.send("HEAD", contentOf(file)),
      ];
      await spend((index) => asks[index % asks.length]?.() ?? viewer.get("/me"), 200);
      refused(await upload(viewer, { scope: "submission" }), 429, "RATE_LIMITED");
      refused(await viewer.get(contentOf(file)), 429, "RATE_LIMITED");
      refused(await viewer.get("/kv"), 429, "RATE_LIMITED");
      assert.equal((await filesIn(owner)).length, 1);
    });
  });
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { add as addRecord } from "../collections/entry.ts";
import type { Stage } from "../fixture.ts";
import { turn } from "../fixture.ts";
import type { Page } from "../page.ts";
import { JSON_TYPE } from "../page.ts";
import { collecting } from "../policy.ts";
import { answered, disabled, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { upload } from "./form.ts";
import { add, contentOf, filesIn, idsOf, pathOf } from "./record.ts";

const RENAME = '{"name":"taken"}';

const everyOperation = async (page: Page, file: { id: string }) => [
  await page.get(contentOf(file)),
  await page.send("HEAD", contentOf(file)),
  await page.send("PATCH", pathOf(file), [JSON_TYPE], RENAME),
  await page.delete(pathOf(file)),
];

/** Tests files that are attached to records. They are removed with their record. */
export function attachments(target: Target): void {
  describe("attachments", () => {
    let people: Stage["people"];
    before(async () => {
      ({ people } = await collecting(target, {}));
    });
    const made = () =>
      collecting(target, { board: { preset: "collaborative" }, other: { preset: "collaborative" } }, people);
    const attach = (page: Page, recordId: string, collection = "board") =>
      add(page, { collection, recordId });
    const areGone = async ({ pages }: Stage, files: { id: string }[]) => {
      for (const page of [pages.owner, pages.viewer]) {
        for (const file of files) {
          for (const answer of await everyOperation(page, file)) {
            assert.equal(answer.status, 404);
            if (answer.text !== "") refused(answer, 404, "NOT_FOUND");
          }
        }
      }
    };

    it("deleting a record hides its attachments at once, and those of no other record", async () => {
      const canvas = await made();
      const { owner, viewer } = canvas.pages;
      const [gone, kept] = [await addRecord(viewer, "board", 1), await addRecord(viewer, "board", 2)];
      const attached = [await attach(viewer, gone.id), await attach(owner, gone.id)];
      const rest = [await attach(viewer, kept.id), await add(owner)];
      assert.deepEqual(idsOf(await filesIn(viewer)), idsOf([...attached, ...rest]));
      answered(await viewer.delete(`/collections/board/${gone.id}`), {
        ok: true,
        attachmentCleanupFailed: 0,
      });
      await areGone(canvas, attached);
      for (const page of [owner, viewer]) assert.deepEqual(idsOf(await filesIn(page)), idsOf(rest));
      refused(await viewer.get(`/files?collection=board&recordId=${gone.id}`), 404, "NOT_FOUND");
      refused(await upload(viewer, { collection: "board", recordId: gone.id }), 404, "NOT_FOUND");
    });

    it("clearing a collection hides the attachments of what it deletes, and of nothing else", async () => {
      const canvas = await made();
      const { owner, viewer } = canvas.pages;
      const attached = [];
      for (const page of [owner, viewer, viewer]) {
        const { id } = await addRecord(page, "board", 1);
        attached.push(await attach(owner, id), await attach(viewer, id));
      }
      const beside = await attach(viewer, (await addRecord(viewer, "other", 1)).id, "other");
      answered(await viewer.delete("/collections/board"), { deleted: 3, attachmentCleanupFailed: 0 });
      await areGone(canvas, attached);
      assert.deepEqual(idsOf(await filesIn(owner)), idsOf([beside]));
    });

    it("clearing one's own records leaves the attachments of others' records", async () => {
      const canvas = await collecting(target, { board: { preset: "personal" } }, people);
      const { owner, viewer } = canvas.pages;
      const files = [];
      for (const page of [owner, viewer])
        files.push(await attach(page, (await addRecord(page, "board", 1)).id));
      const [kept, gone] = files as [(typeof files)[0], (typeof files)[0]];
      answered(await viewer.delete("/collections/board"), { deleted: 1, attachmentCleanupFailed: 0 });
      await areGone(canvas, [gone]);
      assert.equal((await owner.get(contentOf(kept))).text, "content");
    });

    it("deleting or renaming an attachment leaves its record, and changing the record its attachments", async () => {
      const { pages } = await made();
      const { owner, viewer } = pages;
      const { id } = await addRecord(viewer, "board", 1);
      const [one, other] = [await attach(viewer, id), await attach(viewer, id)];
      assert.equal((await owner.put(`/collections/board/${id}`, 2)).status, 200);
      assert.equal((await owner.post(`/collections/board/${id}/increment`, { by: 1 })).status, 200);
      answered(await owner.delete(pathOf(one)), { ok: true });
      assert.equal((await owner.send("PATCH", pathOf(other), [JSON_TYPE], RENAME)).status, 200);
      assert.equal((await viewer.get(`/collections/board/${id}`)).json.value, 3);
      assert.deepEqual(idsOf(await filesIn(viewer)), idsOf([other]));
    });

    it("while KV is off: CAPABILITY_DISABLED for those who may read them, 404 for the rest", async () => {
      const canvas = await collecting(target, { board: { preset: "personal" } }, people);
      const { owner, viewer } = canvas.pages;
      const file = await attach(viewer, (await addRecord(viewer, "board", 1)).id);
      await turn(target, canvas, { kv: false });
      const [content, head, renamed, deleted] = await everyOperation(viewer, file);
      assert.equal(head?.status, 403);
      for (const answer of [content, renamed, deleted]) if (answer) disabled(answer, "kv", "feature_off");
      for (const { status } of await everyOperation(owner, file)) assert.equal(status, 404);
      await turn(target, canvas, { kv: true });
      assert.equal((await viewer.get(contentOf(file))).text, "content");
    });
  });
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { RuntimePolicy } from "@easel/protocol/policy";
import { add as addRecord } from "../collections/entry.ts";
import { type Cast, cast, type Stage, share, stage } from "../fixture.ts";
import { JSON_TYPE, open, type Page } from "../page.ts";
import { govern } from "../policy.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { upload } from "./form.ts";
import { add, contentOf, filesIn, idsOf, pathOf } from "./record.ts";

const OPEN = { preset: "collaborative" } as const;
const POLICY: RuntimePolicy = {
  fileGroups: { photos: OPEN, album: OPEN },
  collections: { board: OPEN },
};

/** Tests changes of a canvas's policy and of a person's role. They must take effect on files with the next request. */
export function groups(target: Target): void {
  describe("policies as they change", () => {
    let people: Cast;
    before(async () => {
      people = await cast(target);
    });
    const made = async (policy: RuntimePolicy): Promise<Stage> => {
      const canvas = await stage(target, { people });
      await govern(target, canvas, policy);
      return canvas;
    };
    const areHidden = async (page: Page, files: { id: string }[]) => {
      for (const file of files) {
        refused(await page.get(contentOf(file)), 404, "NOT_FOUND");
        refused(await page.send("PATCH", pathOf(file), [JSON_TYPE], '{"name":"b"}'), 404, "NOT_FOUND");
        refused(await page.delete(pathOf(file)), 404, "NOT_FOUND");
      }
    };

    it("removing a policy hides its files from everyone; adding it again shows them as they were", async () => {
      const canvas = await made(POLICY);
      const { owner, viewer } = canvas.pages;
      const recordId = (await addRecord(viewer, "board", 1)).id;
      const [photo, attached, album, shared] = [
        await add(viewer, { group: "photos" }),
        await add(viewer, { collection: "board", recordId }),
        await add(owner, { group: "album" }),
        await add(owner),
      ];
      const before = await filesIn(viewer);
      const documents: [RuntimePolicy | null, { id: string }[]][] = [
        [{ fileGroups: { album: OPEN } }, [album, shared]],
        [{ collections: POLICY.collections ?? {} }, [attached, shared]],
        [{}, [shared]],
        [null, [shared]],
      ];
      for (const [document, seen] of documents) {
        await govern(target, canvas, document);
        const hidden = [photo, attached, album].filter((each) => !seen.includes(each));
        for (const page of [owner, viewer]) {
          assert.deepEqual(idsOf(await filesIn(page)), idsOf(seen));
          await areHidden(page, hidden);
          if (!seen.includes(album)) refused(await upload(page, { group: "album" }), 404, "NOT_FOUND");
        }
        await govern(target, canvas, POLICY);
        assert.deepEqual(await filesIn(viewer), before);
      }
    });

    it("a phase of a group: hidden until revealed, for lists and contents", async () => {
      const phases = { revealed: { read: "viewers", create: "none" } } as const;
      const canvas = await made({ fileGroups: { photos: { preset: "personal", phases }, album: OPEN } });
      const { owner, viewer } = canvas.pages;
      const path = "/files/groups/photos/phase";
      const photo = await add(owner, { group: "photos" });
      answered(await viewer.get(path), { phase: null, phases: ["revealed"] });
      await areHidden(viewer, [photo]);
      refused(await viewer.put(path, { phase: "revealed" }), 403, "PERMISSION_DENIED");
      answered(await owner.put(path, { phase: "revealed" }), { phase: "revealed", phases: ["revealed"] });
      assert.deepEqual(idsOf(await filesIn(viewer)), idsOf([photo]));
      assert.equal((await viewer.get(contentOf(photo))).status, 200);
      refused(await upload(viewer, { group: "photos" }), 403, "PERMISSION_DENIED");
      answered(await owner.put(path, { phase: null }), { phase: null, phases: ["revealed"] });
      await areHidden(viewer, [photo]);
      refused(await owner.put("/files/groups/album/phase", { phase: "revealed" }), 400, "INVALID_BODY");
      refused(await owner.get("/files/groups/none/phase"), 404, "COLLECTION_NOT_CONFIGURED");
    });

    it("attachments follow the phase of their collection", async () => {
      const phases = { revealed: { read: "viewers" } } as const;
      const canvas = await made({ collections: { board: { preset: "personal", phases } } });
      const { owner, viewer } = canvas.pages;
      const recordId = (await addRecord(owner, "board", 1)).id;
      const attached = await add(owner, { collection: "board", recordId });
      await areHidden(viewer, [attached]);
      await owner.put("/collections/board/phase", { phase: "revealed" });
      assert.equal((await viewer.get(contentOf(attached))).status, 200);
      await owner.put("/collections/board/phase", { phase: null });
      await areHidden(viewer, [attached]);
    });

    it("a new preset applies to existing files", async () => {
      const canvas = await made({ fileGroups: { photos: { preset: "personal" } } });
      const { owner, editor, viewer } = canvas.pages;
      const file = await add(viewer, { group: "photos" });
      await areHidden(owner, [file]);
      await govern(target, canvas, { fileGroups: { photos: { preset: "managed" } } });
      assert.equal((await editor.get(contentOf(file))).text, "content");
      refused(await viewer.delete(pathOf(file)), 403, "PERMISSION_DENIED");
      refused(await upload(viewer, { group: "photos" }), 403, "PERMISSION_DENIED");
      await govern(target, canvas, { fileGroups: { photos: { preset: "contributions" } } });
      answered(await viewer.delete(pathOf(file)), { ok: true });
    });

    it("a new role applies to the next request, and files keep their uploader", async () => {
      const canvas = await made({});
      const { owner, viewer } = canvas.pages;
      const [own, theirs] = [
        await add(viewer, { scope: "submission" }),
        await add(owner, { scope: "submission" }),
      ];
      assert.deepEqual(idsOf(await filesIn(viewer)), idsOf([own]));
      await share(target, canvas, "private", { viewer: "editor" });
      assert.deepEqual(idsOf(await filesIn(viewer)), idsOf([own, theirs]));
      const shared = await add(viewer);
      await share(target, canvas, "private", { viewer: "viewer" });
      assert.deepEqual(idsOf(await filesIn(viewer)), idsOf([own, shared]));
      refused(await viewer.get(contentOf(theirs)), 404, "NOT_FOUND");
      refused(await viewer.delete(pathOf(shared)), 403, "PERMISSION_DENIED");
      await share(target, canvas, "private", {});
      refused(await viewer.get(contentOf(own)), 404, "OWNER_ONLY");
    });

    it("a group and a collection of the same name are independent", async () => {
      const canvas = await made({
        fileGroups: { board: { preset: "personal" } },
        collections: { board: OPEN },
      });
      const { owner, viewer } = canvas.pages;
      const recordId = (await addRecord(viewer, "board", 1)).id;
      const [own, attached] = [
        await add(viewer, { group: "board" }),
        await add(viewer, { collection: "board", recordId }),
      ];
      assert.deepEqual(idsOf(await filesIn(owner)), idsOf([attached]));
      assert.deepEqual(idsOf(await filesIn(viewer, "?group=board")), idsOf([own]));
      answered(await owner.delete("/collections/board"), { deleted: 1, attachmentCleanupFailed: 0 });
      assert.deepEqual(idsOf(await filesIn(viewer)), idsOf([own]));
    });

    it("an administrator has the rights of a viewer only", async () => {
      const canvas = await stage(target, { people, access: "whole_org" });
      const admin = open(target, canvas.slug, await target.signIn(target.admin));
      const own = await add(canvas.pages.viewer, { scope: "submission" });
      await areHidden(admin, [own]);
      refused(await upload(admin), 403, "PERMISSION_DENIED");
      assert.deepEqual(await filesIn(admin), []);
    });
  });
}

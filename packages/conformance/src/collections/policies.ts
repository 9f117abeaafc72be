import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { CollectionPolicy } from "@easel/protocol/policy";
import { type Stage, share } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import { open, type Page } from "../page.ts";
import { idOf } from "../person-id.ts";
import { collecting, govern } from "../policy.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { add, byId, entriesIn, entryOf } from "./entry.ts";

/** Calls every route of a collection and of its record `id`, as the person whose requests `page` sends. Returns the responses. */
const everyRoute = async (page: Page, name: string, id: string) => [
  await page.get(`/collections/${name}`),
  await page.post(`/collections/${name}`, 1),
  await page.delete(`/collections/${name}`),
  await page.get(`/collections/${name}/permissions`),
  await page.get(`/collections/${name}/count`),
  await page.get(`/collections/${name}/${id}`),
  await page.put(`/collections/${name}/${id}`, 1),
  await page.delete(`/collections/${name}/${id}`),
  await page.post(`/collections/${name}/${id}/increment`, { by: 1 }),
];

/** Tests that a change of a policy or of a person's role takes effect on the very next request to a collection. */
export function policies(target: Target): void {
  describe("policies as they change", () => {
    let people: Stage["people"];
    before(async () => {
      ({ people } = await collecting(target, {}));
    });
    const made = (collections: Record<string, CollectionPolicy>) => collecting(target, collections, people);

    it("without an entry a collection is 404 COLLECTION_NOT_CONFIGURED on every route, for everyone", async () => {
      const canvas = await made({ other: { preset: "collaborative" } });
      for (const role of ["owner", "editor", "viewer", "stranger"] as const) {
        for (const answer of await everyRoute(canvas.pages[role], "board", "r-1"))
          refused(answer, 404, "COLLECTION_NOT_CONFIGURED");
      }
    });

    it("taking an entry out hides its records; putting it back brings them back as they were", async () => {
      const board: CollectionPolicy = { preset: "contributions" };
      const canvas = await made({ board, other: { preset: "personal" } });
      const { owner, viewer } = canvas.pages;
      const records = [await add(viewer, "board", { a: 1 }), await add(owner, "board", null)];
      const other = await add(viewer, "other", 1);
      for (const document of [{ collections: { other: { preset: "personal" } } } as const, {}, null]) {
        await govern(target, canvas, document);
        for (const page of [owner, viewer]) {
          for (const answer of await everyRoute(page, "board", records[0]?.id ?? ""))
            refused(answer, 404, "COLLECTION_NOT_CONFIGURED");
        }
        if (document?.collections) assert.deepEqual(await entriesIn(viewer, "other"), [other]);
        await govern(target, canvas, { collections: { board, other: { preset: "personal" } } });
        assert.deepEqual(byId(await entriesIn(viewer, "board")), byId(records));
        assert.deepEqual(await entriesIn(viewer, "other"), [other]);
      }
    });

    it("a new preset applies to existing records", async () => {
      const canvas = await made({ board: { preset: "personal" } });
      const { owner, viewer, stranger } = canvas.pages;
      const entry = await add(viewer, "board", 1);
      const path = `/collections/board/${entry.id}`;
      refused(await owner.get(path), 404, "NOT_FOUND");
      await govern(target, canvas, { collections: { board: { preset: "submissions" } } });
      answered(await owner.get(path), entry);
      refused(await stranger.get(path), 404, "NOT_FOUND");
      await govern(target, canvas, { collections: { board: { preset: "managed" } } });
      answered(await stranger.get(path), entry);
      refused(await viewer.put(path, 2), 403, "PERMISSION_DENIED");
      refused(await viewer.post("/collections/board", 2), 403, "PERMISSION_DENIED");
      await govern(target, canvas, { collections: { board: { preset: "collaborative" } } });
      const changed = entryOf(await stranger.put(path, 2));
      assert.equal(changed.authorId, entry.authorId);
      await govern(target, canvas, { collections: { board: { preset: "personal" } } });
      answered(await viewer.get(path), changed);
      refused(await owner.get(path), 404, "NOT_FOUND");
      refused(await stranger.get(path), 404, "NOT_FOUND");
    });

    it("a record keeps its author when others change it and when the policy changes", async () => {
      const canvas = await made({ board: { preset: "collaborative" } });
      const { owner, editor, viewer, stranger } = canvas.pages;
      const entry = await add(viewer, "board", 0);
      const path = `/collections/board/${entry.id}`;
      for (const page of [owner, editor, stranger]) {
        assert.equal(entryOf(await page.put(path, 1)).authorId, entry.authorId);
        assert.equal(entryOf(await page.post(`${path}/increment`, { by: 1 })).authorId, entry.authorId);
      }
      await govern(target, canvas, { collections: { board: { preset: "personal" } } });
      assert.equal(entryOf(await viewer.get(path)).value, 2);
    });

    it("a guest is the author of what they make, in each session of their invitation", async () => {
      const canvas = await made({ board: { preset: "personal" }, wall: { preset: "submissions" } });
      const guest = await guestOf(target, canvas);
      const page = open(target, canvas.slug, guest);
      const [own, shown] = [await add(page, "board", "own"), await add(page, "wall", "shown")];
      assert.equal(own.authorId, `guest:${guest.invite.id}`);
      const other = open(target, canvas.slug, await guestOf(target, canvas));
      refused(await other.get(`/collections/board/${own.id}`), 404, "NOT_FOUND");
      refused(await canvas.pages.owner.get(`/collections/board/${own.id}`), 404, "NOT_FOUND");
      answered(await canvas.pages.editor.get(`/collections/wall/${shown.id}`), shown);
      const changed = entryOf(await canvas.pages.editor.put(`/collections/wall/${shown.id}`, "edited"));
      assert.equal(changed.authorId, own.authorId);
      answered(await page.get(`/collections/wall/${shown.id}`), changed);
      answered(await page.delete(`/collections/board/${own.id}`), {
        ok: true,
        attachmentCleanupFailed: 0,
      });
    });

    it("a new role applies to the next request, and records keep their author", async () => {
      const canvas = await made({ news: { preset: "managed" }, box: { preset: "submissions" } });
      const { owner, viewer } = canvas.pages;
      const theirs = await add(owner, "box", 1);
      refused(await viewer.post("/collections/news", 1), 403, "PERMISSION_DENIED");
      assert.deepEqual(await entriesIn(viewer, "box"), []);
      await share(target, canvas, "whole_org", { viewer: "editor" });
      const news = await add(viewer, "news", 1);
      assert.deepEqual(await entriesIn(viewer, "box"), [theirs]);
      await share(target, canvas, "whole_org", { viewer: "viewer" });
      refused(await viewer.put(`/collections/news/${news.id}`, 2), 403, "PERMISSION_DENIED");
      refused(await viewer.delete("/collections/news"), 403, "PERMISSION_DENIED");
      refused(await viewer.get(`/collections/box/${theirs.id}`), 404, "NOT_FOUND");
      assert.deepEqual(await entriesIn(viewer, "news"), [news]);
      assert.equal(news.authorId, await idOf(viewer));
      await share(target, canvas, "private", {});
      refused(await viewer.get("/collections/news"), 404, "OWNER_ONLY");
      await share(target, canvas, "private", { viewer: "editor" });
      assert.equal(entryOf(await viewer.put(`/collections/news/${news.id}`, 3)).value, 3);
    });

    it("a policy applies to one canvas only", async () => {
      const [open, shut] = [
        await made({ board: { preset: "collaborative" } }),
        await made({ board: { preset: "managed" } }),
      ];
      const entry = await add(open.pages.viewer, "board", 1);
      refused(await shut.pages.viewer.post("/collections/board", 1), 403, "PERMISSION_DENIED");
      assert.deepEqual(await entriesIn(open.pages.viewer, "board"), [entry]);
    });

    it("a record that the caller cannot read is 404 to every operation, with any body and any other rights", async () => {
      const canvas = await made({
        shut: { preset: "collaborative" },
        own: { preset: "collaborative" },
        managed: { preset: "managed" },
      });
      const { owner, viewer } = canvas.pages;
      const ids: Record<string, string> = {};
      for (const name of ["shut", "own", "managed"]) ids[name] = (await add(owner, name, 1)).id;
      await govern(target, canvas, {
        collections: {
          shut: { preset: "collaborative", overrides: { read: "none" } },
          own: { preset: "collaborative", overrides: { read: "own", update: "none", increment: "none" } },
          managed: { preset: "managed" },
        },
      });
      const onRecord = async (name: string, id = ids[name]) => {
        const path = `/collections/${name}/${id}`;
        return [
          await viewer.get(path),
          await viewer.put(path, 2),
          await viewer.putRaw(path, "{"),
          await viewer.delete(path),
          await viewer.post(`${path}/increment`, { by: 1 }),
          await viewer.post(`${path}/increment`, "one"),
        ];
      };
      for (const name of ["shut", "own"]) {
        for (const answer of await onRecord(name)) refused(answer, 404, "NOT_FOUND");
        for (const answer of await onRecord(name, "r-1")) refused(answer, 404, "NOT_FOUND");
      }
      for (const answer of await onRecord("managed", "r-1")) refused(answer, 404, "NOT_FOUND");
      const [read, ...changes] = await onRecord("managed");
      assert.equal(read?.status, 200);
      for (const answer of changes) refused(answer, 403, "PERMISSION_DENIED");
      await govern(target, canvas, {
        collections: { shut: { preset: "collaborative" }, own: { preset: "collaborative" } },
      });
      for (const name of ["shut", "own"])
        assert.deepEqual(
          (await entriesIn(owner, name)).map(({ value }) => value),
          [1],
        );
    });

    it("an administrator has the rights of a viewer only", async () => {
      const canvas = await made({ box: { preset: "submissions", aggregateCount: "editors" } });
      const entry = await add(canvas.pages.viewer, "box", 1);
      const admin = open(target, canvas.slug, await target.signIn(target.admin));
      refused(await admin.get(`/collections/box/${entry.id}`), 404, "NOT_FOUND");
      refused(await admin.get("/collections/box/count"), 403, "PERMISSION_DENIED");
      assert.deepEqual(await entriesIn(admin, "box"), []);
    });

    it("file groups and channels of the same name are no collection", async () => {
      const canvas = await made({});
      const channel = {
        subscribe: "viewers",
        publish: "viewers",
        seePresence: "none",
        participatePresence: "none",
      } as const;
      const document = {
        fileGroups: { board: { preset: "managed" } },
        channels: { board: channel },
      } as const;
      await govern(target, canvas, document);
      refused(await canvas.pages.owner.get("/collections/board"), 404, "COLLECTION_NOT_CONFIGURED");
    });
  });
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Json } from "@easel/protocol/types";
import { type Stage, stage } from "../fixture.ts";
import type { Answer } from "../http.ts";
import { JSON_TYPE } from "../page.ts";
import { idOf } from "../person-id.ts";
import { collecting, govern } from "../policy.ts";
import { answered, refused, unshared, wrongMethod } from "../refusal.ts";
import type { Target } from "../target.ts";
import { add, byId, entriesIn, entryOf } from "./entry.ts";

const WRONG_METHODS: [method: string, path: string, allowed: string[]][] = [
  ["PUT", "/collections/board", ["GET", "POST", "DELETE"]],
  ["PATCH", "/collections/board", ["GET", "POST", "DELETE"]],
  ["POST", "/collections/board/r-1", ["GET", "PUT", "DELETE"]],
  ["PATCH", "/collections/board/r-1", ["GET", "PUT", "DELETE"]],
  ["GET", "/collections/board/r-1/increment", ["POST"]],
  ["PUT", "/collections/board/r-1/increment", ["POST"]],
  ["DELETE", "/collections/board/r-1/increment", ["POST"]],
  ["POST", "/collections/board/permissions", ["GET"]],
  ["PUT", "/collections/board/permissions", ["GET"]],
  ["DELETE", "/collections/board/permissions", ["GET"]],
  ["POST", "/collections/board/phase", ["GET", "PUT"]],
  ["DELETE", "/collections/board/phase", ["GET", "PUT"]],
  ["POST", "/collections/board/count", ["GET"]],
  ["PUT", "/collections/board/count", ["GET"]],
  ["DELETE", "/collections/board/%63ount", ["GET"]],
];

const UNKNOWN_PATHS = [
  "/collections",
  "/collections/board/r-1/increment/more",
  "/collections/board/r-1/attachments",
  "/collections/board/permissions/more",
  "/collections/board/count/more",
];

/** Tests the nine routes of collections. */
export function routes(target: Target): void {
  describe("routes", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await collecting(target, {
        board: { preset: "collaborative", aggregateCount: "viewers" },
        other: { preset: "collaborative" },
      });
    });

    for (const role of ["owner", "editor", "viewer"] as const) {
      it(`the ${role} makes a record, reads, replaces, increments and deletes it`, async () => {
        const page = canvas.pages[role];
        const authorId = await idOf(page);
        const began = Date.now();
        const made = await add(page, "board", { tea: 1 });
        assert.deepEqual([made.authorId, made.value], [authorId, { tea: 1 }]);
        assert.ok(Math.abs(made.updatedAt - began) < 3_600_000, `${made.updatedAt} is about now`);
        const path = `/collections/board/${made.id}`;
        answered(await page.get(path), made);
        const replaced = entryOf(await page.put(path, 41));
        assert.deepEqual([replaced.id, replaced.authorId, replaced.value], [made.id, authorId, 41]);
        assert.ok(replaced.updatedAt >= made.updatedAt);
        answered(await page.get(path), replaced);
        const counted = entryOf(await page.post(`${path}/increment`, { by: 1 }));
        assert.deepEqual([counted.id, counted.authorId, counted.value], [made.id, authorId, 42]);
        answered(await page.get(path), counted);
        answered(await page.delete(path), { ok: true, attachmentCleanupFailed: 0 });
        refused(await page.get(path), 404, "NOT_FOUND");
      });
    }

    it("what is deleted is gone for every operation", async () => {
      const { owner } = canvas.pages;
      const path = `/collections/board/${(await add(owner, "board", 1)).id}`;
      await owner.delete(path);
      refused(await owner.put(path, 2), 404, "NOT_FOUND");
      refused(await owner.post(`${path}/increment`, { by: 1 }), 404, "NOT_FOUND");
      refused(await owner.delete(path), 404, "NOT_FOUND");
      refused(await owner.get(path), 404, "NOT_FOUND");
    });

    it("creating the same value twice makes two records", async () => {
      const { viewer } = canvas.pages;
      const [one, other] = [await add(viewer, "board", "same"), await add(viewer, "board", "same")];
      assert.notEqual(one.id, other.id);
    });

    it("the list, the count and the clearing of everybody's records", async () => {
      const fresh = await collecting(
        target,
        { board: { preset: "collaborative", aggregateCount: "viewers" }, other: { preset: "collaborative" } },
        canvas.people,
      );
      const { owner, editor, viewer } = fresh.pages;
      answered(await viewer.get("/collections/board"), { entries: [], nextCursor: null });
      answered(await viewer.get("/collections/board/count"), { count: 0 });
      const made = [];
      for (const page of [owner, editor, viewer]) made.push(await add(page, "board", made.length));
      const beside = await add(owner, "other", "beside");
      for (const page of [owner, editor, viewer]) {
        assert.deepEqual(byId(await entriesIn(page, "board")), byId(made));
        answered(await page.get("/collections/board/count"), { count: 3 });
      }
      answered(await viewer.delete("/collections/board"), { deleted: 3, attachmentCleanupFailed: 0 });
      answered(await viewer.delete("/collections/board"), { deleted: 0, attachmentCleanupFailed: 0 });
      answered(await viewer.get("/collections/board"), { entries: [], nextCursor: null });
      answered(await viewer.get("/collections/board/count"), { count: 0 });
      assert.deepEqual(await entriesIn(viewer, "other"), [beside]);
    });

    it("permissions: what the caller may, each with their own records and with any", async () => {
      const may = { own: true, any: true };
      for (const role of ["owner", "editor", "viewer"] as const) {
        answered(await canvas.pages[role].get("/collections/board/permissions"), {
          read: may,
          create: may,
          update: may,
          delete: may,
          increment: may,
        });
      }
    });

    it("records of another collection or canvas are 404, with any rights there", async () => {
      const away = await collecting(target, { board: { preset: "collaborative" } }, canvas.people);
      const { owner } = canvas.pages;
      const made = await add(owner, "board", 1);
      for (const [page, name] of [
        [owner, "other"],
        [away.pages.owner, "board"],
      ] as const) {
        const path = `/collections/${name}/${made.id}`;
        refused(await page.get(path), 404, "NOT_FOUND");
        refused(await page.put(path, 2), 404, "NOT_FOUND");
        refused(await page.post(`${path}/increment`, { by: 1 }), 404, "NOT_FOUND");
        refused(await page.delete(path), 404, "NOT_FOUND");
        answered(await page.delete(`/collections/${name}`), { deleted: 0, attachmentCleanupFailed: 0 });
        assert.deepEqual(await entriesIn(page, name), []);
      }
      answered(await owner.get(`/collections/board/${made.id}`), made);
    });

    it("records are independent of submissions and keys of the same name", async () => {
      const { owner } = canvas.pages;
      await owner.put("/kv/other", "shared");
      await owner.put("/kv/user/other", "own");
      await owner.put("/submissions/other/mine", "answer");
      const before = await entriesIn(owner, "other");
      const made = await add(owner, "other", "record");
      assert.deepEqual(byId(await entriesIn(owner, "other")), byId([...before, made]));
      await owner.delete("/collections/other");
      await owner.delete("/submissions/other");
      answered(await owner.get("/kv/other"), { value: "shared" });
      answered(await owner.get("/kv/user/other"), { value: "own" });
    });

    it("id, author and time in a value are ignored", async () => {
      const { owner, viewer } = canvas.pages;
      const value: Json = { id: "mine", authorId: await idOf(owner), updatedAt: 1, value: 2 };
      const made = entryOf(await viewer.post(`/collections/board?authorId=${value.authorId}`, value), 201);
      assert.deepEqual([made.authorId, made.value], [await idOf(viewer), value]);
      assert.notEqual(made.id, "mine");
      const replaced = entryOf(await owner.put(`/collections/board/${made.id}`, value));
      assert.deepEqual([replaced.id, replaced.authorId], [made.id, made.authorId]);
    });

    it("every response, refusals included, is private, no-store", async () => {
      const { viewer } = canvas.pages;
      const made = await viewer.post("/collections/board", 1);
      const path = `/collections/board/${entryOf(made, 201).id}`;
      await govern(target, canvas, {
        collections: {
          board: { preset: "collaborative", aggregateCount: "viewers" },
          other: { preset: "collaborative" },
          shut: { preset: "managed" },
        },
      });
      const answers: Answer[] = [
        made,
        await viewer.get(path),
        await viewer.put(path, 2),
        await viewer.post(`${path}/increment`, { by: 1 }),
        await viewer.get("/collections/board"),
        await viewer.get("/collections/board/permissions"),
        await viewer.get("/collections/board/count"),
        await viewer.get("/collections/board?limit=0"),
        await viewer.get("/collections/shut/count"),
        await viewer.post("/collections/shut", 1),
        await viewer.get("/collections/none"),
        await viewer.put("/collections/board", 1),
        await viewer.put(path, "text"),
        await viewer.post(`${path}/increment`, { by: 1 }),
        await viewer.delete(path),
        await viewer.get(path),
        await viewer.delete("/collections/board"),
      ];
      for (const answer of answers) unshared(answer);
      const statuses = new Set(answers.map(({ status }) => status));
      assert.deepEqual(statuses, new Set([201, 200, 400, 403, 404, 405, 409]));
    });

    it("HEAD is GET without the body", async () => {
      const { owner } = canvas.pages;
      const path = `/collections/board/${(await add(owner, "board", 1)).id}`;
      for (const [at, status] of [
        [path, 200],
        ["/collections/board", 200],
        ["/collections/board/count", 200],
        ["/collections/board/permissions", 200],
        ["/collections/none", 404],
      ] as const) {
        const answer = await owner.send("HEAD", at);
        assert.deepEqual([answer.status, answer.text], [status, ""], at);
      }
    });

    for (const [method, path, allowed] of WRONG_METHODS) {
      it(`${method} ${path}: 405 METHOD_NOT_ALLOWED, Allow: ${allowed}`, async () => {
        const { owner } = canvas.pages;
        const before = await entriesIn(owner, "board");
        wrongMethod(await owner.send(method, path, [JSON_TYPE], "1"), allowed);
        assert.deepEqual(await entriesIn(owner, "board"), before);
      });
    }

    for (const path of UNKNOWN_PATHS) {
      it(`${path}: 404 NOT_FOUND`, async () => {
        for (const method of ["GET", "POST", "DELETE"])
          refused(await canvas.pages.owner.send(method, path, [JSON_TYPE], "{}"), 404, "NOT_FOUND");
      });
    }

    it("a canvas without any policy has no collection", async () => {
      const bare = await stage(target, { people: canvas.people });
      refused(await bare.pages.owner.get("/collections/board"), 404, "COLLECTION_NOT_CONFIGURED");
    });
  });
}

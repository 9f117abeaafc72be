import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { add as addRecord } from "../collections/entry.ts";
import { amend, type Stage, stage } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import type { Answer } from "../http.ts";
import { publish } from "../lifecycle.ts";
import { JSON_TYPE, open, type Page } from "../page.ts";
import { idOf } from "../person-id.ts";
import { govern } from "../policy.ts";
import { answered, refused, unshared, wrongMethod } from "../refusal.ts";
import type { Target } from "../target.ts";
import { upload } from "./form.ts";
import { add, contentOf, type FileRecord, filesIn, pathOf, recordOf, uploadedOf } from "./record.ts";

const WRONG_METHODS: [method: string, path: string, allowed: string[]][] = [
  ["PUT", "/files", ["GET", "POST"]],
  ["PATCH", "/files", ["GET", "POST"]],
  ["DELETE", "/files", ["GET", "POST"]],
  ["GET", "/files/f-1", ["PATCH", "DELETE"]],
  ["POST", "/files/f-1", ["PATCH", "DELETE"]],
  ["PUT", "/files/f-1", ["PATCH", "DELETE"]],
  ["POST", "/files/f-1/content", ["GET"]],
  ["PUT", "/files/f-1/content", ["GET"]],
  ["PATCH", "/files/f-1/content", ["GET"]],
  ["DELETE", "/files/f-1/content", ["GET"]],
];

const UNKNOWN_PATHS = ["/files/f-1/content/more", "/files/f-1/url", "/files/f-1/more"];

/** Ids that no file has. */
const UNKNOWN_IDS = ["f-1", "0", "%00", "..%2Ff", "constructor", "%C3%A9", "f".repeat(4_000)];

const POLICY = {
  fileGroups: { photos: { preset: "collaborative" } },
  collections: { board: { preset: "collaborative" } },
} as const;

/** Tries to download, rename and delete a file. Returns the responses. */
const everyOperation = async (page: Page, id: string): Promise<Answer[]> => [
  await page.get(contentOf({ id })),
  await page.send("PATCH", pathOf({ id }), [JSON_TYPE], '{"name":"taken"}'),
  await page.send("PATCH", pathOf({ id }), [JSON_TYPE], "{"),
  await page.delete(pathOf({ id })),
];

/** Tests the routes of files. */
export function routes(target: Target): void {
  describe("routes", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await stage(target, { access: "whole_org" });
      await govern(target, canvas, POLICY);
    });

    /** Reads the record of an uploaded file, asserts that it has the fields `known` and a recent `createdAt`, and returns it. */
    const expected = async (page: Page, id: string, known: Partial<FileRecord>) => {
      const record = await recordOf(page, id);
      assert.ok(Number.isInteger(record.createdAt), JSON.stringify(record));
      assert.ok(Math.abs(record.createdAt - Date.now()) < 3_600_000, "createdAt is about now");
      assert.deepEqual(record, { ...known, id, createdAt: record.createdAt });
      return record;
    };

    it("a file in each scope: uploaded, listed, read, renamed and deleted", async () => {
      const { viewer, editor } = canvas.pages;
      const recordId = (await addRecord(viewer, "board", 1)).id;
      const scopes: [page: Page, fields: Record<string, string>, bound: Partial<FileRecord>][] = [
        [editor, {}, { scope: "shared" }],
        [editor, { scope: "shared" }, { scope: "shared" }],
        [viewer, { scope: "submission" }, { scope: "submission" }],
        [viewer, { group: "photos" }, { scope: "group:photos", group: "photos" }],
        [viewer, { collection: "board", recordId }, { scope: "record:board", recordId, collection: "board" }],
      ];
      for (const [page, fields, bound] of scopes) {
        const made = await add(page, fields, { name: "a.txt", type: "text/plain", bytes: "eight by" });
        const { id } = made;
        assert.match(id, /^[A-Za-z0-9-]{1,128}$/);
        const url = `/v1/c/${canvas.slug}/files/${id}/content`;
        assert.deepEqual(made, { id, name: "a.txt", size: 8, url });
        const known = { name: "a.txt", size: 8, mime: "text/plain", uploadedBy: await idOf(page) };
        const record = await expected(page, id, { recordId: null, ...known, ...bound });

        const bytes = await page.get(contentOf(made));
        assert.deepEqual([bytes.status, bytes.text], [200, "eight by"]);
        const renamed = await page.send("PATCH", pathOf(made), [JSON_TYPE], '{"name":"b.txt"}');
        answered(renamed, { ...record, name: "b.txt" });
        await expected(page, id, { recordId: null, ...known, ...bound, name: "b.txt" });
        answered(await page.delete(pathOf(made)), { ok: true });
        for (const answer of await everyOperation(page, id)) refused(answer, 404, "NOT_FOUND");
        assert.deepEqual(await filesIn(page), []);
      }
    });

    it("a guest uploads, and the file record names the guest", async () => {
      const guest = await guestOf(target, canvas);
      const page = open(target, canvas.slug, guest);
      const made = await add(page, { scope: "submission" });
      assert.equal((await recordOf(page, made.id)).uploadedBy, `guest:${guest.invite.id}`);
      refused(await upload(page), 403, "PERMISSION_DENIED");
      answered(await page.delete(pathOf(made)), { ok: true });
    });

    it("unknown ids: 404 to every operation", async () => {
      for (const id of UNKNOWN_IDS)
        for (const answer of await everyOperation(canvas.pages.owner, id)) refused(answer, 404, "NOT_FOUND");
    });

    it("another canvas's files: 404 to every operation, and they stay", async () => {
      const away = await stage(target, { people: canvas.people });
      const { owner } = canvas.pages;
      const made = [await add(owner), await add(owner, { scope: "submission" })];
      for (const { id } of made)
        for (const answer of await everyOperation(away.pages.owner, id)) refused(answer, 404, "NOT_FOUND");
      assert.deepEqual(await filesIn(away.pages.owner), []);
      for (const each of made) {
        assert.equal((await owner.get(contentOf(each))).text, "content");
        answered(await owner.delete(pathOf(each)), { ok: true });
      }
    });

    it("another canvas's records have no attachments here: 404", async () => {
      const away = await stage(target, { people: canvas.people });
      await govern(target, away, POLICY);
      const { id } = await addRecord(away.pages.owner, "board", 1);
      refused(await upload(canvas.pages.owner, { collection: "board", recordId: id }), 404, "NOT_FOUND");
    });

    it("every response, refusals included, is private, no-store", async () => {
      const { owner, viewer } = canvas.pages;
      const made = await upload(owner);
      const { id } = uploadedOf(made);
      const answers = [
        made,
        await viewer.get("/files"),
        await viewer.get("/files?limit=0"),
        await viewer.get(contentOf({ id })),
        await viewer.send("GET", contentOf({ id }), [["Range", "bytes=0-1"]]),
        await viewer.send("GET", contentOf({ id }), [["Range", "bytes=9999-"]]),
        await viewer.delete(pathOf({ id })),
        await viewer.put("/files", 1),
        await owner.post("/files", 1),
        await owner.send("PATCH", pathOf({ id }), [JSON_TYPE], '{"name":"b"}'),
        await owner.delete(pathOf({ id })),
        await owner.get(contentOf({ id })),
      ];
      for (const answer of answers) unshared(answer);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 200, 400, 200, 206, 416, 403, 405, 400, 200, 200, 404],
      );
    });

    it("HEAD of the list is GET without the body", async () => {
      const answer = await canvas.pages.owner.send("HEAD", "/files");
      assert.deepEqual([answer.status, answer.text], [200, ""]);
      unshared(answer);
    });

    for (const [method, path, allowed] of WRONG_METHODS) {
      it(`${method} ${path}: 405 METHOD_NOT_ALLOWED, Allow: ${allowed}`, async () => {
        wrongMethod(await canvas.pages.owner.send(method, path, [JSON_TYPE], "{}"), allowed);
      });
    }

    for (const path of UNKNOWN_PATHS) {
      it(`${path}: 404 NOT_FOUND`, async () => {
        for (const method of ["GET", "POST", "DELETE"])
          refused(await canvas.pages.owner.send(method, path, [JSON_TYPE], "{}"), 404, "NOT_FOUND");
      });
    }

    it("a stranger, and everyone but owner and editors on a Public link: no file, and no upload", async () => {
      const closed = await stage(target, { people: canvas.people });
      const { owner, editor, viewer, stranger } = closed.pages;
      const made = await add(owner);
      const everyRoute = async (page: Page) => [
        await page.get("/files"),
        await upload(page, { scope: "submission" }),
        ...(await everyOperation(page, made.id)),
      ];
      for (const answer of await everyRoute(stranger)) refused(answer, 404, "OWNER_ONLY");
      await publish(target, closed, "home");
      await amend(target, closed, { access: "public_link" });
      for (const page of [viewer, stranger, open(target, closed.slug, null)])
        for (const answer of await everyRoute(page)) refused(answer, 403, "STATIC_ONLY");
      for (const page of [owner, editor]) {
        assert.equal((await page.get(contentOf(made))).text, "content");
        assert.equal((await filesIn(page)).length, 1);
      }
    });
  });
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { ErrorCode } from "@easel/protocol/errors";
import { add as addRecord } from "../collections/entry.ts";
import { type Stage, stage, turn } from "../fixture.ts";
import type { Page } from "../page.ts";
import { parallel } from "../parallel.ts";
import { govern } from "../policy.ts";
import { answered, disabled, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { add, type FileRecord, filesIn, idsOf, pathOf } from "./record.ts";

/**
 * Reads a list of files page by page to its end, and returns the files of all pages. Asserts that every page except the last has `limit`
 * files. Calls `between` after each page except the last.
 */
async function walk(page: Page, limit: number, filter = "", between = async () => {}): Promise<FileRecord[]> {
  const seen: FileRecord[] = [];
  for (let cursor = ""; ; await between()) {
    const { json, text } = await page.get(
      `/files?limit=${limit}${filter}&cursor=${encodeURIComponent(cursor)}`,
    );
    const files = json.files as FileRecord[];
    seen.push(...files);
    if (json.nextCursor === null) return seen;
    assert.equal(files.length, limit, text.slice(0, 300));
    cursor = String(json.nextCursor);
  }
}

/**
 * Query strings for `GET /files` that the service must refuse, each with the expected error. The test replaces `read` with the id of a
 * record that the caller can read, and `hidden` with the id of a record that the caller cannot read.
 */
const REFUSED: (readonly [query: string, status: number, code: ErrorCode])[] = [
  ...["0", "-1", "1001", "1.5", "1e2", "ten", "", "%20", "0x10", "99999"].map(
    (limit) => [`limit=${limit}`, 400, "INVALID_BODY"] as const,
  ),
  ["limit=1&limit=2", 400, "INVALID_BODY"],
  ...["x", "shared", "shared/", "/", "none/read", "group:/read", "shared/%00", "shared/read/more"].map(
    (cursor) => [`cursor=${cursor}`, 400, "INVALID_BODY"] as const,
  ),
  [`cursor=${"c".repeat(2_000)}`, 400, "INVALID_BODY"],
  ["group=photos&cursor=shared/read", 400, "INVALID_BODY"],
  ["group=photos&cursor=group:staff/read", 400, "INVALID_BODY"],
  ["collection=board&cursor=record:diary/read", 400, "INVALID_BODY"],
  ["group=photos&collection=board", 400, "INVALID_BODY"],
  ["group=photos&recordId=read", 400, "INVALID_BODY"],
  ["group=photos&collection=board&recordId=read", 400, "INVALID_BODY"],
  ["recordId=read", 400, "INVALID_BODY"],
  ["group=none", 404, "NOT_FOUND"],
  ["group=board", 404, "NOT_FOUND"],
  ["group=constructor", 404, "NOT_FOUND"],
  ["collection=none", 404, "NOT_FOUND"],
  ["collection=photos", 404, "NOT_FOUND"],
  ["collection=none&recordId=read", 404, "NOT_FOUND"],
  ["collection=board&recordId=r-1", 404, "NOT_FOUND"],
  ["collection=board&recordId=hidden", 404, "NOT_FOUND"],
  ["collection=diary&recordId=read", 404, "NOT_FOUND"],
  ["collection=diary&recordId=hidden", 404, "NOT_FOUND"],
  ["group=shut", 403, "PERMISSION_DENIED"],
  ["group=staff", 403, "PERMISSION_DENIED"],
];

const EACH = 3;

/** Tests `GET /files`, which lists files, with its filters and pages. */
export function lists(target: Target): void {
  describe("lists", () => {
    let canvas: Stage;
    let viewer: Page;
    let ids: { read: string; second: string; hidden: string };
    before(async () => {
      canvas = await stage(target);
      const open = { preset: "collaborative" } as const;
      const fileGroups = { photos: open, album: open, shut: open, staff: open };
      await govern(target, canvas, {
        fileGroups,
        collections: { board: open, diary: { preset: "personal" } },
      });
      const { owner } = canvas.pages;
      ({ viewer } = canvas.pages);
      const idIn = async (page: Page, name: string) => (await addRecord(page, name, 1)).id;
      ids = {
        read: await idIn(owner, "board"),
        second: await idIn(viewer, "board"),
        hidden: await idIn(owner, "diary"),
      };
      for (let index = 0; index < EACH; index++) {
        for (const page of [owner, viewer]) {
          await add(page, { scope: "submission" });
          for (const group of Object.keys(fileGroups)) await add(page, { group });
          for (const recordId of [ids.read, ids.second]) await add(page, { collection: "board", recordId });
        }
        await add(owner);
        await add(owner, { collection: "diary", recordId: ids.hidden });
      }
      await govern(target, canvas, {
        fileGroups: {
          photos: open,
          album: { preset: "personal" },
          shut: { preset: "collaborative", overrides: { read: "none" } },
          staff: { preset: "collaborative", overrides: { read: "editors" } },
        },
        collections: { board: open, diary: { preset: "personal" } },
      });
    });

    it("files are sorted by scope, and within a scope from the oldest to the newest", async () => {
      for (const page of [canvas.pages.owner, viewer]) {
        const files = await filesIn(page);
        const scopes = files.map(({ scope }) => scope);
        assert.deepEqual(scopes, scopes.toSorted());
        for (const group of Map.groupBy(files, ({ scope }) => scope).values()) {
          const times = group.map(({ createdAt }) => createdAt);
          assert.deepEqual(
            times,
            times.toSorted((a, b) => a - b),
          );
        }
      }
      const scopes = (page: Page) => filesIn(page).then((files) => new Set(files.map(({ scope }) => scope)));
      const seen = ["group:album", "group:photos", "record:board", "shared", "submission"];
      assert.deepEqual(await scopes(viewer), new Set(seen));
      const more = [...seen, "group:staff", "record:diary"];
      assert.deepEqual(await scopes(canvas.pages.owner), new Set(more));
    });

    it("limits: every page but the last is full, in one order, across scopes and within each", async () => {
      const filters = [
        "",
        "&group=photos",
        "&group=album",
        "&collection=board",
        `&collection=board&recordId=${ids.read}`,
      ];
      for (const filter of filters) {
        const whole = await filesIn(viewer, `?${filter.slice(1)}`);
        for (const limit of [1, 2, EACH, whole.length - 1, whole.length, whole.length + 1, 1_000])
          assert.deepEqual(await walk(viewer, limit, filter), whole, `limit=${limit}${filter}`);
      }
    });

    it("filters: a group, a collection, a record", async () => {
      const whole = await filesIn(viewer);
      const only = (is: (file: FileRecord) => boolean) => whole.filter(is);
      const rows: [query: string, files: FileRecord[], count: number][] = [
        ["group=photos", only(({ group }) => group === "photos"), 2 * EACH],
        ["group=album", only(({ group }) => group === "album"), EACH],
        ["collection=board", only(({ collection }) => collection === "board"), 4 * EACH],
        [`collection=board&recordId=${ids.read}`, only(({ recordId }) => recordId === ids.read), 2 * EACH],
        [
          `collection=board&recordId=${ids.second}`,
          only(({ recordId }) => recordId === ids.second),
          2 * EACH,
        ],
        ["collection=diary", [], 0],
        ["group=&collection=&recordId=&cursor=", whole, whole.length],
      ];
      for (const [query, files, count] of rows) {
        assert.equal(files.length, count, query);
        assert.deepEqual(await filesIn(viewer, `?${query}`), files, query);
      }
    });

    it("a group and a record without files: an empty list", async () => {
      const bare = await stage(target, { people: canvas.people });
      answered(await bare.pages.viewer.get("/files"), { files: [], nextCursor: null });
      await govern(target, bare, {
        fileGroups: { photos: { preset: "personal" } },
        collections: { board: { preset: "personal" } },
      });
      const { id } = await addRecord(bare.pages.viewer, "board", 1);
      for (const query of ["group=photos", "collection=board", `collection=board&recordId=${id}`])
        answered(await bare.pages.viewer.get(`/files?${query}`), { files: [], nextCursor: null });
    });

    for (const [query, status, code] of REFUSED) {
      it(`${query.slice(0, 60)}: ${status} ${code}`, async () => {
        const named = query.replace(/\b(read|hidden)\b/, (name) => ids[name as keyof typeof ids]);
        refused(await viewer.get(`/files?${named}`), status, code);
      });
    }

    it("the next page follows the cursor although its file has been deleted", async () => {
      const busy = await stage(target, { people: canvas.people });
      const { owner } = busy.pages;
      const made = [];
      for (let index = 0; index < 4; index++) made.push(await add(owner));
      const { files, nextCursor } = (await owner.get("/files?limit=2")).json;
      const first = files as FileRecord[];
      for (const each of first) await owner.delete(pathOf(each));
      const rest = await owner.get(`/files?limit=2&cursor=${encodeURIComponent(String(nextCursor))}`);
      assert.deepEqual(idsOf([...first, ...(rest.json.files as FileRecord[])]), idsOf(made));
      assert.equal(rest.json.nextCursor, null);
    });

    it("a list without a limit has all files, even more than a page", async () => {
      const many = await stage(target, { people: canvas.people });
      const { owner } = many.pages;
      const made = await parallel(Array.from({ length: 230 }), () => add(owner));
      assert.deepEqual(idsOf(await filesIn(owner)), idsOf(made));
      assert.deepEqual(await walk(owner, 100), await filesIn(owner));
      assert.equal((await filesIn(owner)).length, made.length);
    });

    it("while KV is off, attachments are left out, and asking for them is CAPABILITY_DISABLED", async () => {
      const whole = await filesIn(viewer);
      await turn(target, canvas, { kv: false });
      const files = await filesIn(viewer);
      const answers = [
        await viewer.get("/files?collection=board"),
        await viewer.get(`/files?collection=board&recordId=${ids.read}`),
      ];
      await turn(target, canvas, { kv: true });
      assert.deepEqual(
        files,
        whole.filter(({ collection }) => collection === undefined),
      );
      for (const answer of answers) disabled(answer, "kv", "feature_off");
    });
  });
}

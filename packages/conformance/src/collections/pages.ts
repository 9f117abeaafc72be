import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import type { Stage } from "../fixture.ts";
import type { Page } from "../page.ts";
import { parallel } from "../parallel.ts";
import { collecting } from "../policy.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { add, byId, type Entry, entriesIn } from "./entry.ts";

/** Query strings with an invalid `limit` or `cursor`. */
const NO_PAGES = [
  ...["0", "00", "1001", "10000", "-1", "1.5", "1.0", "1e2", "0x10", "abc", "NaN", "Infinity", "null", ""],
  ...["%20", "%201", "%2B1", "1%20", "1,000", "%D9%A1", "99999999999999999999"],
]
  .map((limit) => `limit=${limit}`)
  .concat(
    "limit=1&limit=2",
    "limit=1&limit=1",
    "limit=1&limit=",
    ...["%20", "a%20b", "a%2Fb", "%C3%A4", "a%00", "a%0A", "__proto__", "*", "0".repeat(5_000)].map(
      (cursor) => `cursor=${cursor}`,
    ),
    "cursor=0&cursor=1",
  );

const RECORDS = 7;

/**
 * Reads a collection's list page by page to its end, and returns the entries of all pages. Calls `between` after each page except the last.
 */
async function walk(page: Page, name: string, limit: number, between = async () => {}): Promise<Entry[]> {
  const seen: Entry[] = [];
  for (let query = `limit=${limit}`, turns = 0; turns < 500; turns++) {
    const answer = await page.get(`/collections/${name}?${query}`);
    const { entries, nextCursor } = answer.json as { entries: Entry[]; nextCursor: string | null };
    answered(answer, { entries, nextCursor });
    seen.push(...entries);
    if (nextCursor === null) return seen;
    assert.equal(entries.length, limit, "a page that is not the last is full");
    query = `limit=${limit}&cursor=${encodeURIComponent(nextCursor)}`;
    await between();
  }
  return assert.fail("the list never ends");
}

/** Tests lists of records: a page has 1 to 1,000 entries, and all pages together contain each record once. */
export function pages(target: Target): void {
  describe("pages", () => {
    let canvas: Stage;
    let viewer: Page;
    before(async () => {
      canvas = await collecting(target, {
        board: { preset: "contributions" },
        own: { preset: "personal" },
        busy: { preset: "collaborative" },
        single: { preset: "collaborative" },
        many: { preset: "collaborative" },
      });
      viewer = canvas.pages.viewer;
      for (let index = 0; index < RECORDS; index++) {
        await add(canvas.pages[index % 2 ? "viewer" : "owner"], "board", index);
        for (const role of ["owner", "viewer", "editor"] as const) await add(canvas.pages[role], "own", role);
      }
    });

    for (const query of NO_PAGES) {
      it(`?${query.slice(0, 40)}: 400 INVALID_BODY`, async () => {
        refused(await viewer.get(`/collections/board?${query}`), 400, "INVALID_BODY");
      });
    }

    for (const limit of [1, 2, 3, RECORDS - 1, RECORDS, RECORDS + 1, 999, 1_000]) {
      it(`limit=${limit}: every page but the last is full, in one order, with what the caller may read`, async () => {
        for (const name of ["board", "own"]) {
          const whole = await entriesIn(viewer, name);
          assert.equal(whole.length, RECORDS);
          assert.deepEqual(await walk(viewer, name, limit), whole);
        }
      });
    }

    it("an empty cursor starts the list", async () => {
      const entries = await entriesIn(viewer, "board");
      answered(await viewer.get("/collections/board?cursor="), { entries, nextCursor: null });
    });

    it("a full page has a nextCursor only if entries follow", async () => {
      const made = await add(viewer, "single", 1);
      answered(await viewer.get("/collections/single?limit=1"), { entries: [made], nextCursor: null });
    });

    it("the next page follows the cursor although its record has been deleted", async () => {
      const whole = [];
      for (let index = 0; index < 4; index++) whole.push(await add(viewer, "busy", index));
      const { entries, nextCursor } = (await viewer.get("/collections/busy?limit=2")).json as {
        entries: Entry[];
        nextCursor: string;
      };
      for (const { id } of entries) await viewer.delete(`/collections/busy/${id}`);
      const rest = await viewer.get(`/collections/busy?limit=2&cursor=${encodeURIComponent(nextCursor)}`);
      assert.deepEqual(byId([...entries, ...(rest.json.entries as Entry[])]), byId(whole));
      await viewer.delete("/collections/busy");
    });

    it("while others make, change and delete records, each that was there throughout comes once", async () => {
      const { owner, editor } = canvas.pages;
      const numbers = Array.from({ length: 60 }, (_, index) => index);
      const all = await parallel(numbers, (value) => add(viewer, "busy", value), 8);
      const doomed = all.filter((_, index) => index % 3 === 0);
      const throughout = all.filter((_, index) => index % 3 !== 0).map(({ id }) => id);
      const seen = await walk(viewer, "busy", 4, async () => {
        const next = doomed.splice(Math.floor(doomed.length / 2), 1);
        await Promise.all([
          ...next.map(({ id }) => editor.delete(`/collections/busy/${id}`)),
          ...[1, 2, 3].map((value) => add(owner, "busy", value)),
          ...throughout.slice(0, 3).map((id) => editor.put(`/collections/busy/${id}`, "changed")),
          ...throughout.slice(-3).map((id) => editor.put(`/collections/busy/${id}`, "changed")),
        ]);
      });
      const ids = seen.map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length, "no record twice");
      for (const id of throughout) assert.ok(ids.includes(id), "none is left out");
    });

    it("a page has 100 records without a limit, up to 1,000 with one", async () => {
      const { pageDefault, pageMax } = LIMITS;
      const count = pageMax.value + 5;
      const made = await parallel(
        Array.from({ length: count }, (_, index) => index),
        (value) => add(viewer, "many", value),
      );
      const sizeOf = async (query: string) => {
        const { json } = await viewer.get(`/collections/many?${query}`);
        return [(json.entries as Entry[]).length, json.nextCursor === null];
      };
      assert.deepEqual(await sizeOf(""), [pageDefault.value, false]);
      assert.deepEqual(await sizeOf("limit=1000"), [pageMax.value, false]);
      assert.deepEqual(byId(await walk(viewer, "many", 1_000)), byId(made));
    });
  });
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import { type Stage, stage } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import { open } from "../page.ts";
import { parallel } from "../parallel.ts";
import { idOf } from "../person-id.ts";
import { answered, refused } from "../refusal.ts";
import { freshEmail, type Target } from "../target.ts";
import { answerOf, type Submission } from "./answer.ts";

/** Query strings with an invalid `limit` or `cursor`, which `GET` requests for submissions must refuse. */
export const NO_PAGES = [
  "limit=0",
  "limit=00",
  "limit=1001",
  "limit=10000",
  "limit=-1",
  "limit=1.5",
  "limit=1.0",
  "limit=1e2",
  "limit=0x10",
  "limit=abc",
  "limit=NaN",
  "limit=Infinity",
  "limit=null",
  "limit=",
  "limit=%20",
  "limit=%201",
  "limit=%2B1",
  "limit=1%20",
  "limit=1,000",
  "limit=%D9%A1",
  "limit=99999999999999999999",
  "limit=1&limit=2",
  "limit=1&limit=1",
  "limit=1&limit=",
  "cursor=a.b",
  "cursor=%20",
  "cursor=a%20b",
  "cursor=a%2Fb",
  "cursor=%C3%A4",
  "cursor=a%00",
  "cursor=a%0A",
  "cursor=__proto__",
  `cursor=${"0".repeat(129)}`,
  `cursor=${"0".repeat(5_000)}`,
  "cursor=a&cursor=b",
];

const AUTHORS = 7;

/** Tests lists of submissions: a page has 1 to 1,000 entries, and all pages together contain each submission once. */
export function pages(target: Target): void {
  describe("pages", () => {
    let canvas: Stage;
    let stored: Submission[];
    before(async () => {
      canvas = await stage(target, { access: "whole_org" });
      const guests = await Promise.all([guestOf(target, canvas), guestOf(target, canvas)]);
      const members = Array.from({ length: AUTHORS - guests.length }, () =>
        target.signIn(freshEmail("author")),
      );
      const people = [...guests, ...(await Promise.all(members))];
      stored = await parallel(people, async (person) =>
        answerOf(await open(target, canvas.slug, person).put("/submissions/poll/mine", person.email)),
      );
    });
    const list = (query: string) => canvas.pages.owner.get(`/submissions/poll?${query}`);
    const entriesOf = async (query: string) => (await list(query)).json.entries as Submission[];

    for (const query of NO_PAGES) {
      it(`?${query.slice(0, 40)}: 400 INVALID_BODY`, async () => {
        refused(await list(query), 400, "INVALID_BODY");
      });
    }

    it("the list has every submission once, including those of guests", async () => {
      const entries = await entriesOf("");
      assert.deepEqual(
        new Map(entries.map((entry) => [entry.userId, entry])),
        new Map(stored.map((entry) => [entry.userId, entry])),
      );
      assert.equal(entries.length, AUTHORS);
      assert.equal(entries.filter(({ userId }) => userId.startsWith("guest:")).length, 2);
    });

    for (const limit of [1, 2, 3, AUTHORS - 1, AUTHORS, AUTHORS + 1, 999, 1_000]) {
      it(`limit=${limit}: every page but the last is full, and the order is that of the whole list`, async () => {
        const whole = await entriesOf("");
        const seen: Submission[] = [];
        let query = `limit=${limit}`;
        for (let turns = 0; turns < AUTHORS; turns++) {
          const { json } = await list(query);
          const entries = json.entries as Submission[];
          seen.push(...entries);
          if (json.nextCursor === null) break;
          assert.equal(entries.length, limit);
          assert.match(String(json.nextCursor), /^[A-Za-z0-9:-]{1,128}$/);
          query = `limit=${limit}&cursor=${encodeURIComponent(String(json.nextCursor))}`;
        }
        assert.deepEqual(seen, whole);
      });
    }

    it("an empty cursor starts the list; a cursor need not be on the list", async () => {
      const whole = await entriesOf("");
      assert.deepEqual(await entriesOf("cursor="), whole);
      for (const cursor of ["0", "nobody", "guest:none", "i".repeat(128)]) {
        const { status, json, text } = await list(`cursor=${cursor}`);
        assert.equal(status, 200, text);
        for (const entry of json.entries as Submission[])
          assert.ok(whole.some(({ userId }) => userId === entry.userId));
      }
    });

    it("the next page follows the cursor although its submission has been deleted", async () => {
      const { owner, editor, viewer } = canvas.pages;
      for (const page of [owner, editor, viewer]) await page.put("/submissions/gone/mine", 1);
      const first = (await owner.get("/submissions/gone?limit=1")).json;
      const [{ userId }] = first.entries as [Submission];
      const rest = (await owner.get("/submissions/gone")).json.entries as Submission[];
      answered(await owner.delete(`/submissions/gone/${encodeURIComponent(userId)}`), { ok: true });
      const cursor = encodeURIComponent(String(first.nextCursor));
      const entries = rest.slice(1);
      answered(await owner.get(`/submissions/gone?cursor=${cursor}`), { entries, nextCursor: null });
    });

    it("a full page has a nextCursor only if entries follow", async () => {
      const { owner, viewer } = canvas.pages;
      const mine = answerOf(await viewer.put("/submissions/single/mine", 1));
      answered(await owner.get("/submissions/single?limit=1"), { entries: [mine], nextCursor: null });
      assert.equal(mine.userId, await idOf(viewer));
    });

    it("a page has 100 submissions without a limit, up to 1,000 with one", async () => {
      const { pageDefault } = LIMITS;
      const people = await parallel(
        Array.from({ length: pageDefault.value + 5 }, () => freshEmail("author")),
        (email) => target.signIn(email),
      );
      await parallel(people, async (person) =>
        answerOf(await open(target, canvas.slug, person).put("/submissions/many/mine", 1)),
      );
      const sizeOf = async (query: string) => {
        const { json } = await canvas.pages.owner.get(`/submissions/many?${query}`);
        return [(json.entries as Submission[]).length, json.nextCursor === null];
      };
      assert.deepEqual(await sizeOf(""), [pageDefault.value, false]);
      assert.deepEqual(await sizeOf("limit=1000"), [people.length, true]);
    });
  });
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import fc from "fast-check";
import { codePoint } from "../code-point.ts";
import { type Stage, stage } from "../fixture.ts";
import type { Answer } from "../http.ts";
import { open, type Page } from "../page.ts";
import { parallel } from "../parallel.ts";
import { answered } from "../refusal.ts";
import { freshEmail, type Target } from "../target.ts";
import { byBytes, freshKey, SCOPES, type Scopes, segment } from "./scope.ts";

const LIMIT_ROWS: [query: string, keys: number[]][] = [
  ["", [1, 2, 3]],
  ["limit=2", [1, 2]],
  ["limit=3", [1, 2, 3]],
  ["limit=1", [1]],
  ["limit=0", [1]],
  ["limit=-5", [1]],
  ["limit=5000", [1, 2, 3]],
  ["limit=abc", [1, 2, 3]],
  ["limit=NaN", [1, 2, 3]],
  ["limit=", [1, 2, 3]],
];

/** Prefixes, each with keys that begin with it (`within`) and with similar keys that do not (`without`). */
const PREFIX_ROWS: [prefix: string, within: string[], without: string[]][] = [
  ["a", ["a", "aa", "a\0", "a\u{10ffff}", "a😀", "a/b"], ["A", "b", "", "ä", "ba"]],
  ["a\u007f", ["a\u007f", "a\u007f\u{10ffff}"], ["a\u007e", "a\u0080"]],
  ["a\ud7ff", ["a\ud7ff", "a\ud7ff\u{10ffff}"], ["a\ue000", "a\ud7fe"]],
  ["a\uffff", ["a\uffff", "a\uffffz"], ["a\u{10000}", "a\ufffe"]],
  ["a\u{10ffff}", ["a\u{10ffff}", "a\u{10ffff}\u{10ffff}"], ["a\u{10fffe}", "b"]],
  ["\u{10ffff}", ["\u{10ffff}", "\u{10ffff}a", "\u{10ffff}\u{10ffff}\u{10ffff}"], ["\u{10fffe}", "z"]],
  ["\u{10ffff}\u{10ffff}", ["\u{10ffff}\u{10ffff}", "\u{10ffff}\u{10ffff}0"], ["\u{10ffff}", "\u{10ffff}a"]],
  ["\0", ["\0", "\0\0", "\0a"], ["a", "\u0001"]],
  ["%", ["%", "%a", "%%"], ["a", "a%"]],
  ["_", ["_", "_a"], ["a", "aa", "__proto".slice(2)]],
  ["a*", ["a*", "a*b"], ["ab", "a"]],
  ["[a]", ["[a]", "[a]b"], ["a", "b"]],
  ["a\\", ["a\\", "a\\%"], ["a", "a%", "a/"]],
  ["a'", ["a'", "a'b"], ["a", 'a"']],
  ["a+b", ["a+b"], ["a b", "ab"]],
  ["a b", ["a b", "a b c"], ["a+b", "a"]],
  ["é", ["é", "éa"], ["e\u0301", "e"]],
  ["user", ["users", "user/x", "user "], ["use"]],
];

const character = fc.constantFrom(..."abé\0/%\ud7ff\ue000\uffff\u{10000}😀\u{10ffff}");

/** Generates sets of keys with common prefixes and extreme code points. */
const keySets = fc.uniqueArray(
  fc.oneof(
    fc.array(character, { minLength: 1, maxLength: 4 }).map((characters) => characters.join("")),
    fc.string({ unit: codePoint, minLength: 1, maxLength: 8 }),
  ),
  { minLength: 1, maxLength: 24 },
);

/** Tests lists of keys: pages are in key order and contain each key once, and `nextCursor` is the last key of its page. */
export function lists(target: Target, scopes: Scopes = SCOPES): void {
  for (const { scope, root } of scopes) {
    describe(`lists of the ${scope} scope`, () => {
      let page: Page;
      let label: string;
      before(async () => {
        page = (await stage(target)).pages.owner;
        label = freshKey("row");
        const numbered = [2, 3, 1].map((number): [string, number] => [`${label}${number}`, number]);
        const neighbours: [string, number][] = [
          ["!", 0],
          ["~", 4],
        ];
        for (const [key, value] of [...neighbours, ...numbered]) {
          answered(await page.put(`${root}/${key}`, value), { ok: true });
        }
      });
      const list = (prefix: string, query = "") =>
        page.get(`${root}?prefix=${encodeURIComponent(prefix)}${query}`);
      const rows = (numbers: number[]) =>
        numbers.map((number) => ({ key: `${label}${number}`, value: number }));

      for (const [query, numbers] of LIMIT_ROWS) {
        it(`${query || "no limit"}, three keys: ${numbers.length}`, async () => {
          const nextCursor = numbers.length < 3 ? `${label}${numbers.length}` : null;
          answered(await list(label, query && `&${query}`), { entries: rows(numbers), nextCursor });
        });
      }

      it("limit=1.5, three keys: a page that goes on, never an error", async () => {
        const answer = await list(label, "&limit=1.5");
        assert.equal(answer.status, 200, answer.text);
        const count = (answer.json.entries as Json[]).length;
        assert.ok(count >= 1);
        answered(answer, {
          entries: rows([1, 2, 3].slice(0, count)),
          nextCursor: count < 3 ? `${label}${count}` : null,
        });
      });

      const cursors: [name: string, cursor: (label: string) => string, numbers: number[]][] = [
        ["empty", () => "", [1, 2, 3]],
        ["of the first key", (l) => `${l}1`, [2, 3]],
        ["of the last key", (l) => `${l}3`, []],
        ["between two keys", (l) => `${l}1z`, [2, 3]],
        ["before the prefix", () => "\0", [1, 2, 3]],
        ["the prefix itself", (l) => l, [1, 2, 3]],
        ["after the prefix", () => "\u{10ffff}", []],
      ];
      for (const [name, cursor, numbers] of cursors) {
        it(`a cursor ${name}: ${numbers.length} of three keys`, async () => {
          const answer = await list(label, `&cursor=${encodeURIComponent(cursor(label))}`);
          answered(answer, { entries: rows(numbers), nextCursor: null });
        });
      }

      it("the next page follows the cursor although its key has been deleted", async () => {
        const own = freshKey("gone");
        for (const number of [1, 2, 3, 4]) await page.put(`${root}/${own}${number}`, number);
        const first = await list(own, "&limit=2");
        assert.equal(first.json.nextCursor, `${own}2`);
        await page.delete(`${root}/${own}2`);
        const entries = [3, 4].map((value) => ({ key: `${own}${value}`, value }));
        answered(await list(own, `&limit=2&cursor=${own}2`), { entries, nextCursor: null });
      });

      it("prefix and cursor together, page by page", async () => {
        const own = freshKey("both");
        const keys = ["a", "ab", "abc", "b", "ba"].map((end) => own + end);
        for (const key of keys) await page.put(`${root}/${key}`, key);
        const seen = await walk((cursor) => list(`${own}a`, `&limit=1${cursor}`));
        assert.deepEqual(seen, keys.slice(0, 3));
      });

      for (const query of [
        "cursor=%00",
        "prefix=%ff",
        "cursor=%ff&limit=%ff",
        "limit=1&limit=2",
        "prefix=a&prefix=b",
      ]) {
        it(`?${query}: never a 5xx`, async () => {
          const { status, text } = await page.get(`${root}?${query}`);
          assert.ok(status === 200 || status === 400, `${status} ${text}`);
        });
      }

      it("an overlong prefix and an overlong cursor: never a 5xx", async () => {
        for (const name of ["prefix", "cursor"]) {
          const { status, text } = await page.get(`${root}?${name}=${"k".repeat(4_000)}`);
          assert.ok(status < 500, `${status} ${text}`);
        }
      });
    });

    describe(`whole lists of the ${scope} scope`, () => {
      let whole: Stage;
      before(async () => {
        whole = await stage(target, { access: "whole_org" });
      });
      const emptyScope = async (): Promise<Page> => {
        if (scope === "shared") return (await stage(target, { people: whole.people })).pages.owner;
        return open(target, whole.slug, await target.signIn(freshEmail("lister")));
      };
      const fill = (page: Page, keys: Iterable<string>) =>
        parallel(
          [...keys],
          async (key) => answered(await page.put(`${root}/${segment(key)}`, key), { ok: true }),
          8,
        );

      for (const [prefix, within, without] of PREFIX_ROWS) {
        it(`prefix ${JSON.stringify(prefix)}: ${JSON.stringify(within)}, not ${JSON.stringify(without)}`, async () => {
          const page = await emptyScope();
          await fill(
            page,
            [...within, ...without].filter((key) => key !== ""),
          );
          const query = `prefix=${encodeURIComponent(prefix)}`;
          const entries = within.toSorted(byBytes).map((key) => ({ key, value: key }));
          answered(await page.get(`${root}?${query}`), { entries, nextCursor: null });
          assert.deepEqual(
            await walk((cursor) => page.get(`${root}?limit=1&${query}${cursor}`)),
            within.toSorted(byBytes),
          );
        });
      }

      it("any set of keys, any limit: every key once, in the byte order of UTF-8", async () => {
        await fc.assert(
          fc.asyncProperty(keySets, fc.integer({ min: 1, max: 12 }), async (keys, limit) => {
            const page = await emptyScope();
            await fill(page, keys);
            const seen = await walk((cursor) => page.get(`${root}?limit=${limit}${cursor}`), limit);
            assert.deepEqual(seen, keys.toSorted(byBytes));
          }),
          { numRuns: 12 },
        );
      });

      it("any set of keys, any prefix: just those that begin with it", async () => {
        await fc.assert(
          fc.asyncProperty(keySets, fc.nat(), fc.integer({ min: 1, max: 3 }), async (keys, which, length) => {
            const page = await emptyScope();
            await fill(page, keys);
            const prefix = [...(keys[which % keys.length] ?? "")].slice(0, length).join("");
            const query = `prefix=${encodeURIComponent(prefix)}`;
            const seen = await walk((cursor) => page.get(`${root}?limit=3&${query}${cursor}`), 3);
            assert.deepEqual(seen, keys.filter((key) => key.startsWith(prefix)).toSorted(byBytes));
          }),
          { numRuns: 12 },
        );
      });

      it("100 entries without a limit, 1,000 at most with one", async () => {
        const page = await emptyScope();
        const { pageDefault, pageMax, kvKeysUser } = LIMITS;
        const count = scope === "shared" ? pageMax.value + 5 : kvKeysUser.value;
        const keys = Array.from({ length: count }, (_, index) => `k${String(index).padStart(4, "0")}`);
        await fill(page, keys);
        const sizes = async (query: string) => {
          const { json } = await page.get(`${root}?${query}`);
          return [(json.entries as Json[]).length, json.nextCursor];
        };
        const full = count > pageMax.value ? (keys[pageMax.value - 1] ?? "") : null;
        assert.deepEqual(await sizes(""), [pageDefault.value, keys[pageDefault.value - 1]]);
        assert.deepEqual(await sizes("limit=abc"), [pageDefault.value, keys[pageDefault.value - 1]]);
        assert.deepEqual(await sizes("limit="), [pageDefault.value, keys[pageDefault.value - 1]]);
        assert.deepEqual(await sizes("limit=999"), [999, keys[998]]);
        assert.deepEqual(await sizes("limit=1000"), [pageMax.value, full]);
        assert.deepEqual(await sizes("limit=5000"), [pageMax.value, full]);
        assert.deepEqual(await walk((cursor) => page.get(`${root}?limit=5000${cursor}`), 1_000), keys);
      });
    });
  }
}

/**
 * Requests all pages of a list, and returns the keys in order. `turn` requests the page for a cursor. Asserts that every page except the
 * last has `limit` keys.
 */
async function walk(turn: (cursor: string) => Promise<Answer>, limit = 1): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor = "", pages = 0; pages < 2_000; pages++) {
    const { status, json, text } = await turn(cursor);
    assert.equal(status, 200, text);
    const keys = (json.entries as { key: string }[]).map(({ key }) => key);
    seen.push(...keys);
    if (json.nextCursor === null) return seen;
    assert.equal(keys.length, limit, "a page that is not the last is full");
    assert.equal(json.nextCursor, keys.at(-1));
    cursor = `&cursor=${encodeURIComponent(String(json.nextCursor))}`;
  }
  return assert.fail("the list never ends");
}

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isSlug } from "../../http/canvas-path.ts";
import { isAllowedSlug, slugsFor } from "./slug.ts";

const good = ["tea", "a1b", "007", "a-b", "a--b", "tea-room-2", "a".repeat(63), "admin", "xn-a"];
const bad = [
  "",
  "a",
  "ab",
  "a".repeat(64),
  "-tea",
  "tea-",
  "Tea",
  "té-a",
  "tea room",
  "tea_room",
  "tea.room",
  "tea/room",
  "tea\n",
  "\ntea",
  "tea\u0000",
  "xn--tea",
  "ｔｅａ",
  "__proto__",
];

for (const text of good) test(`${text} is a slug`, () => assert.equal(isSlug(text), true));
for (const text of bad) test(`${JSON.stringify(text)} is no slug`, () => assert.equal(isSlug(text), false));

test("names of the service's own parts, and of hosts that programs look for, are reserved slugs", () => {
  const own = ["admin", "api", "auth", "sdk", "www", "mail", "docs", "healthz", "oauth", "tokens", "mcp"];
  const sought = ["wpad", "autodiscover", "autoconfig", "mta-sts", "isatap", "localhost"];
  for (const text of [...own, ...sought]) {
    assert.deepEqual([text, isSlug(text), isAllowedSlug(text)], [text, true, false]);
  }
  assert.equal(isAllowedSlug("tea"), true);
  assert.equal(isAllowedSlug("xn--tea"), false);
});

const first = (title: string): string => slugsFor(title).next().value as string;

const titles: [title: string, slug: string | RegExp][] = [
  ["Tea room", "tea-room"],
  ["  Tea,   room!  ", "tea-room"],
  ["Crème brûlée", "creme-brulee"],
  ["Ｔｅａ", "tea"],
  ["xn--tea", "xn-tea"],
  [`${"a".repeat(47)} b`, "a".repeat(47)],
  ["Admin", /^admin-[a-z0-9]{4}$/],
  ["ab", /^canvas-[a-z0-9]{4}$/],
  ["Übung", "uebung"],
  ["U\u0308BUNG", "uebung"],
  ["Größe & Maß", "groesse-mass"],
  ["Ærø", "aero"],
  ["Łódź", "lodz"],
  ["İstanbul", "istanbul"],
  ["Привет, мир", "privet-mir"],
  ["Καλημέρα", "kalimera"],
  ["Đà Nẵng", "da-nang"],
  ["中文 测试", "zhongwen-ceshi"],
  ["お茶", "ocha"],
  ["한국어", "hangugeo"],
  ["مرحبا", "mrhb"],
  ["⟨⟩", /^canvas-[a-z0-9]{4}$/],
  ["", /^canvas-[a-z0-9]{4}$/],
];

for (const [title, slug] of titles) {
  test(`${JSON.stringify(title)} becomes ${slug}`, () => {
    if (typeof slug === "string") assert.equal(first(title), slug);
    else assert.match(first(title), slug);
  });
}

test("any title yields allowed slugs, the second different from the first", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), (title) => {
      const slugs = slugsFor(title);
      const [one, two] = [slugs.next().value as string, slugs.next().value as string];
      assert.deepEqual([one, two].map(isAllowedSlug), [true, true]);
      assert.match(two, /-[a-z0-9]{4}$/);
    }),
  );
});

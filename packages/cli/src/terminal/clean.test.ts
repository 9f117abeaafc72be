import assert from "node:assert/strict";
import { test } from "node:test";
import { clean, cleanLines } from "./clean.ts";

const rows: [text: string, line: string, lines: string][] = [
  ["plain ü 日本 👩‍👧", "plain ü 日本 👩‍👧", "plain ü 日本 👩‍👧"],
  ["a\u001b[2J", "a\\u001b[2J", "a\\u001b[2J"],
  ["a\u009b2J\u007f\u0000", "a\\u009b2J\\u007f\\u0000", "a\\u009b2J\\u007f\\u0000"],
  ["a\nb\tc\rd", "a\\u000ab\\u0009c\\u000dd", "a\nb\tc\\u000dd"],
  [
    "\u202eexe\u2066\u2069\u061c\u200f",
    "\\u202eexe\\u2066\\u2069\\u061c\\u200f",
    "\\u202eexe\\u2066\\u2069\\u061c\\u200f",
  ],
  ["a\u2028b\u2029", "a\\u2028b\\u2029", "a\\u2028b\\u2029"],
  ["\ud800", "\ufffd", "\ufffd"],
];
for (const [text, line, lines] of rows)
  test(`escaped: ${JSON.stringify(line)}`, () => {
    assert.equal(clean(text), line);
    assert.equal(cleanLines(text), lines);
  });

test("JSON stays JSON with the same value", () => {
  const value = { "\u009b": ["\u001b\u202e\n\t\u2028\\u001b", { a: "\u007f" }] };
  const text = cleanLines(JSON.stringify(value, null, 2));
  assert.doesNotMatch(text, /(?!\n)\p{Cc}|[\u2028\u202e]/u);
  assert.deepEqual(JSON.parse(text), value);
});

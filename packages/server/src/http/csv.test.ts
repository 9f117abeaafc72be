import assert from "node:assert/strict";
import { test } from "node:test";
import { csvLine } from "./csv.ts";

const cells: [value: string | number | null, cell: string][] = [
  ["Ada", "Ada"],
  [null, ""],
  ["", ""],
  [-5, "-5"],
  ["a,b", '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ["two\nlines", '"two\nlines"'],
  ["=1+1", "'=1+1"],
  ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t'=1"],
  ["\r=1", `"'\r'=1"`],
  ["\n=1", `"'\n'=1"`],
  ["x;=cmd|' /C calc'!A0;y", "x;'=cmd|' /C calc'!A0;y"],
  ["＝1", "'＝1"],
  ["a=1", "a=1"],
  ['{"a":1}', `"{""a"":1}"`],
];
for (const [value, cell] of cells)
  test(`${JSON.stringify(value)} becomes ${JSON.stringify(cell)}`, () => {
    assert.equal(csvLine([value]), `${cell}\r\n`);
  });

test("cells are separated by commas, and the line ends as RFC 4180 says", () => {
  assert.equal(csvLine(["a", 1, null, "b"]), "a,1,,b\r\n");
});

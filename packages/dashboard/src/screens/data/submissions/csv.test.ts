import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { unguardCell } from "@easel/protocol/csv-guard";
import { type Cell, csvOf } from "./csv.ts";

/** Reads CSV as RFC 4180 says, as a spreadsheet does. */
function read(csv: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = csv.startsWith("\ufeff") ? 1 : 0;
  while (at < csv.length) {
    let cell = "";
    if (csv[at] === '"') {
      at++;
      while (csv[at] !== '"' || csv[at + 1] === '"') {
        assert.ok(at < csv.length, "a quote is not closed");
        cell += csv[at];
        at += csv[at] === '"' ? 2 : 1;
      }
      at++;
    } else while (at < csv.length && csv[at] !== "," && csv[at] !== "\r") cell += csv[at++];
    row.push(cell);
    if (csv[at] === ",") at++;
    else {
      assert.equal(csv.slice(at, at + 2), "\r\n");
      at += 2;
      rows.push(row);
      row = [];
    }
  }
  assert.deepEqual(row, []);
  return rows;
}

it("a table with quotes, commas and lines is read as it was written", () => {
  const rows: Cell[][] = [
    ["Person", "Text"],
    ["Ada", 'She said "yes", and\r\nleft; "'],
    ["", "a,b"],
    ["Zoë 🎉", "مرحبا"],
    ["'quoted", "  spaces  "],
  ];
  assert.deepEqual(read(csvOf(rows)), rows);
});

it("numbers, yes and no and nothing stay what they are", () =>
  assert.equal(csvOf([[-5, 1e21, true, null, "-5"]]), '\ufeff-5,1e+21,true,,"\'-5"\r\n'));

it("no cell is run as a formula", () => {
  const hostile = [
    "=1+1",
    '=HYPERLINK("http://x","y")',
    "+1",
    "-1",
    "@SUM(A1)",
    "\tharmless",
    "＝1+1",
    "＠x",
    "=",
    "=cmd|'/c calc'!A1",
  ];
  for (const text of hostile) {
    const [[cell = ""] = []] = read(csvOf([[text]]));
    assert.equal(cell, `'${text}`);
  }
  const [[cell = ""] = []] = read(csvOf([["x;=cmd|' /C calc'!A0;y"]]));
  assert.equal(cell, "x;'=cmd|' /C calc'!A0;y");
  for (const text of ["", "a=1", "1+1", " =1", "x@y.test"]) assert.deepEqual(read(csvOf([[text]])), [[text]]);
});

/** A folder of hostile texts, if there is one. */
const { CORPORA } = process.env;
const corpus: string[] =
  CORPORA === undefined ? [] : JSON.parse(readFileSync(`${CORPORA}/strings/blns.json`, "utf8"));

it("any text survives, but for the apostrophe", () => {
  const made = Array.from(
    { length: 0x300 },
    (_, code) => `${String.fromCharCode(code)}x"${String.fromCodePoint(0x1f600 + code)}`,
  );
  const texts = [...made, ...corpus];
  const rows = read(csvOf(texts.map((text) => [text])));
  assert.equal(rows.length, texts.length);
  for (const [index, [cell = ""] = []] of rows.entries()) {
    const text = texts[index] ?? "";
    assert.equal(unguardCell(cell), text);
    assert.doesNotMatch(cell, /^[=+\-@\t\r]/);
  }
});

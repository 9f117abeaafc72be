import assert from "node:assert/strict";
import { it } from "node:test";
import { compareTexts, compareWords, type Row, sectionsOf } from "./lines.ts";

const drawn = (rows: readonly Row[]) =>
  rows.map(({ kind, left, right }) => [kind, left?.number ?? null, right?.number ?? null]);
const lines = (count: number, name = "line") =>
  Array.from({ length: count }, (_, index) => `${name} ${index}\n`).join("");

it("lines that were replaced are paired in their order, the rest is added or removed", () => {
  assert.deepEqual(drawn(compareTexts("a\nb\nc\n", "a\nB\nC\nD\n")), [
    ["equal", 1, 1],
    ["changed", 2, 2],
    ["changed", 3, 3],
    ["added", null, 4],
  ]);
  assert.deepEqual(drawn(compareTexts("a\nb\nc\n", "c\n")), [
    ["removed", 1, null],
    ["removed", 2, null],
    ["equal", 3, 1],
  ]);
  assert.deepEqual(drawn(compareTexts("a\nb\n", "a\n")), [
    ["equal", 1, 1],
    ["removed", 2, null],
  ]);
});

it("the ends of lines count", () => {
  assert.deepEqual(drawn(compareTexts("a\nb", "a\r\nb\n")), [
    ["changed", 1, 1],
    ["changed", 2, 2],
  ]);
  assert.deepEqual(drawn(compareTexts("", "a")), [["added", null, 1]]);
  assert.deepEqual(compareTexts("", ""), []);
});

it("equal lines far from any difference are folded", () => {
  const text = lines(40);
  const folds = (before: string, after: string) =>
    sectionsOf(compareTexts(before, after)).map(({ isFolded, rows }) => [isFolded, rows.length]);
  assert.deepEqual(folds(text, text.replace("line 20\n", "other\n")), [
    [true, 17],
    [false, 7],
    [true, 16],
  ]);
  assert.deepEqual(folds(text, text.replace("line 0\n", "other\n")), [
    [false, 4],
    [true, 36],
  ]);
  assert.deepEqual(folds(text, text.replace("line 10\n", "x\n").replace("line 16\n", "y\n")), [
    [true, 7],
    [false, 13],
    [true, 20],
  ]);
  assert.deepEqual(folds(text, text), [[true, 40]]);
});

it("folding neither loses lines nor changes their order", () => {
  const before = lines(400);
  const after = before.replace(/line \d*7\n/g, "seven\n").replace(/line 1\d\d\n/g, "");
  const rows = compareTexts(before, after);
  assert.deepEqual(
    sectionsOf(rows).flatMap(({ rows }) => rows),
    rows,
  );
  assert.equal(rows.flatMap(({ left }) => left?.text ?? []).join(""), before);
  assert.equal(rows.flatMap(({ right }) => right?.text ?? []).join(""), after);
});

it("words that differ within a line are marked, if the lines have something in common", () => {
  const words = compareWords("color: red;\n", "color: green;\n");
  const marked = (side: "left" | "right") =>
    words?.[side].filter(({ isDifferent }) => isDifferent).map(({ text }) => text);
  assert.deepEqual([marked("left"), marked("right")], [["red"], ["green"]]);
  assert.equal(words?.left.map(({ text }) => text).join(""), "color: red;\n");
  assert.equal(compareWords("nothing here\n", "is of any use\n"), null);
  assert.equal(compareWords("a".repeat(501), "b"), null);
});

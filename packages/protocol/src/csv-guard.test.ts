import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { guardCell, unguardCell } from "./csv-guard.ts";

const CELLS: [text: string, guarded: string][] = [
  ["x;=cmd|' /C calc'!A0;y", "x;'=cmd|' /C calc'!A0;y"],
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["＝1", "'＝1"],
  ["\tharmless", "'\tharmless"],
  ["\r=1", "'\r'=1"],
  ["\t=1", "'\t'=1"],
  ["a\n=1", "a\n'=1"],
  ["a\t@x", "a\t'@x"],
  ["a|+1", "a|'+1"],
  ["a,=1", "a,'=1"],
  ["a,-x", "a,'-x"],
  ['x;"=1"', 'x;\'"=1"'],
  ["x;''=1", "x;'''=1"],
  ["'=1", "''=1"],
  // What is no formula stays as it is.
  ["", ""],
  ["a=1", "a=1"],
  ["1+1", "1+1"],
  [" =1", " =1"],
  ["a; b", "a; b"],
  ["ada@acme.test;bob@acme.test", "ada@acme.test;bob@acme.test"],
  ["two\n\nlines", "two\n\nlines"],
  ['[52.5,-13.4,{"a":1}]', '[52.5,-13.4,{"a":1}]'],
  ['["a","=x"]', '["a","=x"]'],
];

test("a formula is guarded at the beginning and after each separator", () => {
  for (const [text, guarded] of CELLS) {
    assert.equal(guardCell(text), guarded);
    assert.equal(unguardCell(guarded), text);
  }
});

test("no part of a text is a formula, whatever separates it, and every text comes back", () => {
  const text = fc
    .array(fc.constantFrom(..."=+-@＝'\",;|\t\r\n x5".split("")), { maxLength: 12 })
    .map((characters) => characters.join(""));
  fc.assert(
    fc.property(text, (given) => {
      const guarded = guardCell(given);
      assert.equal(unguardCell(guarded), given);
      // A quote at the beginning of the whole text is in quotes itself.
      for (const separator of [";", "|", "\t", /[\r\n]/])
        for (const [place, part] of guarded.split(separator).entries())
          assert.doesNotMatch(part, place === 0 ? /^[=+@＝-]/ : /^"*[=+@＝-]/);
    }),
    { numRuns: 2_000 },
  );
});

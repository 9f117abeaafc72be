import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { cleanClientName } from "./client-name.ts";

suite("names of clients", () => {
  const table: [given: unknown, expected: string | null][] = [
    ["Claude Code", "Claude Code"],
    ["  Claude\r\n\tCode  ", "Claude Code"],
    ["Claude\u00a0\u3000\u2028Code", "Claude Code"],
    ["\u202eedoC edualC", "edoC edualC"],
    ["\u2066Claude\u2069\u200f", "Claude"],
    ["Cla\u200b\u00ad\ufeffude", "Claude"],
    ["Cla\u0000\u0007\u001b[31mude", "Cla[31mude"],
    ["Claude\u{e0041}\u{e007f}", "Claude"],
    ["Claude\ufe0f\u3164\u115f", "Claude"],
    ["\ud800\udc00\ud800", "\ud800\udc00"],
    [`a${"\u0301\u0316".repeat(40)}b`, "\u00e1\u0316\u0316b"],
    ["أداة", "أداة"],
    ["🧪🔬 Lab", "🧪🔬 Lab"],
    ["<b>&amp;</b>", "<b>&amp;</b>"],
    ["x".repeat(10_240), "x".repeat(60)],
    ["🧪".repeat(10_000), "🧪".repeat(60)],
    [`${"x".repeat(59)} ${"y".repeat(100)}`, "x".repeat(59)],
    ["", null],
    [" \n ", null],
    ["\u202e\u200b", null],
    ["\u0301\u0302", null],
    [undefined, null],
    [null, null],
    [7, null],
    [["Claude"], null],
    [{ toString: () => "Claude" }, null],
  ];
  for (const [given, expected] of table)
    test(`${JSON.stringify(given)?.slice(0, 60)} becomes ${JSON.stringify(expected)?.slice(0, 60)}`, () =>
      assert.equal(cleanClientName(given), expected));

  test("a name is short, visible and on one line, and stays the same when it is cleaned again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (given) => {
        const name = cleanClientName(given);
        if (name === null) return true;
        return (
          [...name].length <= 60 &&
          name.isWellFormed() &&
          name.trim() === name &&
          !/[\p{C}\p{Zl}\p{Zp}]|\p{M}{3}| {2}/u.test(name) &&
          cleanClientName(name) === name
        );
      }),
      { numRuns: 2_000 },
    );
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "@easel/protocol/types";
import fc from "fast-check";
import { Refusal } from "../http/refusal.ts";
import { type Stored, toStored, toText } from "./value.ts";

const KIB = 1024;
const asText = (value: string): Stored => ({ value, number: null });
const asNumber = (number: number): Stored => ({ value: null, number });

const rows: [json: Json, stored: Stored, text: string][] = [
  [0, asNumber(0), "0"],
  [-1.5, asNumber(-1.5), "-1.5"],
  [Number.MAX_VALUE, asNumber(Number.MAX_VALUE), "1.7976931348623157e+308"],
  [5e-324, asNumber(5e-324), "5e-324"],
  [true, asText("true"), "true"],
  ["", asText('""'), '""'],
  ["1", asText('"1"'), '"1"'],
  ["🦊 é", asText('"🦊 é"'), '"🦊 é"'],
  ["\u0000\ud800", asText('"\\u0000\\ud800"'), '"\\u0000\\ud800"'],
  [[1, null], asText("[1,null]"), "[1,null]"],
  [{ b: 1, a: { c: [] } }, asText('{"b":1,"a":{"c":[]}}'), '{"b":1,"a":{"c":[]}}'],
  [null, asText("null"), "null"],
];

for (const [json, stored, text] of rows) {
  test(`${text} is stored as ${stored.number === null ? "text" : "a number"}`, () => {
    assert.deepEqual(toStored(json), stored);
    assert.equal(toText(stored), text);
  });
}

/** Values whose JSON text has the maximum length of 64 KiB, or one character more (specification 8). */
const sizes: [what: string, value: Json, fits: boolean][] = [
  ["64 KiB of ASCII", "a".repeat(64 * KIB - 2), true],
  ["a byte more", "a".repeat(64 * KIB - 1), false],
  ["64 KiB of two-byte characters", "é".repeat(32 * KIB - 1), true],
  ["one such character more", "é".repeat(32 * KIB), false],
  ["64 KiB in which every character is escaped", "\n".repeat(32 * KIB - 1), true],
  ["one such character more", "\n".repeat(32 * KIB), false],
  ["an array of 64 KiB", [..."1".repeat(32 * KIB - 1)].map(Number).concat(10).slice(1), true],
];

for (const [what, value, fits] of sizes) {
  test(`${what} ${fits ? "fits" : "is too large"}`, () => {
    if (fits) return assert.ok(Buffer.byteLength(toText(toStored(value))) <= 64 * KIB);
    assert.throws(
      () => toStored(value),
      (error) => error instanceof Refusal && error.status === 413 && error.code === "VALUE_TOO_LARGE",
    );
  });
}

test("any JSON value is returned unchanged", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      assert.equal(toText(toStored(json as Json)), JSON.stringify(json));
    }),
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { ifMatch } from "./preconditions.ts";
import { Refusal } from "./refusal.ts";

/** Whether a header names the tag `5`; null if it sets no precondition, "refused" if it is 400. */
function named(given: string | undefined): boolean | null | "refused" {
  try {
    const matches = ifMatch({ "if-match": given });
    return matches === null ? null : matches("5");
  } catch (error) {
    assert.ok(error instanceof Refusal);
    assert.deepEqual([error.status, error.code], [400, "INVALID_BODY"]);
    return "refused";
  }
}

const HEADERS: [given: string | undefined, expected: ReturnType<typeof named>][] = [
  [undefined, null],
  ["*", null],
  [" * ", null],
  ['"5"', true],
  [' "5"\t', true],
  // As clients send it that forget the quotes.
  ["5", true],
  ["4", false],
  ["05", false],
  ['"05"', false],
  ['" 5"', "refused"],
  ['"4"', false],
  ['""', false],
  ['"4", "5"', true],
  ['"4","5"', true],
  [', "4" ,, "5",', true],
  ['"4", 5', true],
  ['"4,5"', false],
  ['"4, "5"', "refused"],
  ['W/"5"', false],
  ['W/"5", "5"', true],
  ['w/"5"', "refused"],
  ["W/5", "refused"],
  ["*, *", "refused"],
  ['"5", *', "refused"],
  ['"5" "4"', "refused"],
  ['"5""4"', "refused"],
  ["5 4", "refused"],
  ["", "refused"],
  [" ", "refused"],
  [",,", "refused"],
  ['"5', "refused"],
  ['5"', "refused"],
  ["'5'", "refused"],
  ["5.0", "refused"],
  ["-5", "refused"],
  ["abc", "refused"],
  ["NaN", "refused"],
  ["__proto__", "refused"],
  ['"__proto__"', false],
  ['"é"', false],
];

test("If-Match is a list of entity tags, or a number without quotes", () => {
  for (const [given, expected] of HEADERS) assert.equal(named(given), expected, JSON.stringify(given));
});

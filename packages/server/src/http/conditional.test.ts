import assert from "node:assert/strict";
import { test } from "node:test";
import { isFresh, rangeOf } from "./conditional.ts";

const fresh: [header: string | undefined, expected: boolean][] = [
  [undefined, false],
  ["", false],
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['"b","a" , "c"', true],
  ["*", true],
  ['"b"', false],
  ["a", false],
  ['"a', false],
  ['"A"', false],
  ['"a-br"', false],
];

for (const [header, expected] of fresh) {
  test(`If-None-Match: ${header ?? "(absent)"} is ${expected ? "fresh" : "not fresh"}`, () => {
    assert.equal(isFresh(header === undefined ? {} : { "if-none-match": header }, '"a"'), expected);
  });
}

/** Values of `Range` and `If-Range`, and the expected result for a file of ten bytes with the ETag `"a"`. */
const ranges: [range: string | undefined, expected: ReturnType<typeof rangeOf>, ifRange?: string][] = [
  [undefined, "all"],
  ["bytes=0-0", { start: 0, end: 0 }],
  ["bytes=2-5", { start: 2, end: 5 }],
  ["bytes=9-9", { start: 9, end: 9 }],
  ["bytes=2-", { start: 2, end: 9 }],
  ["bytes=0-", { start: 0, end: 9 }],
  ["bytes=5-99", { start: 5, end: 9 }],
  ["bytes=-3", { start: 7, end: 9 }],
  ["bytes=-10", { start: 0, end: 9 }],
  ["bytes=-0", "none"],
  ["bytes=10-", "none"],
  ["bytes=10-20", "none"],
  ["bytes=0-1,5-6", "all"],
  ["bytes=0-1,50-60", "all"],
  ["bytes=", "all"],
  ["bytes=-", "all"],
  ["bytes=a-b", "all"],
  ["0-5", "all"],
  ["items=0-5", "all"],
  ["items=900-", "all"],
  ["bytes=5-2", "all"],
  ["bytes=2-5", { start: 2, end: 5 }, '"a"'],
  ["bytes=2-5", "all", '"b"'],
  ["bytes=2-5", "all", 'W/"a"'],
  ["bytes=2-5", "all", "Wed, 21 Oct 2026 07:28:00 GMT"],
  ["bytes=10-", "all", '"b"'],
];

for (const [range, expected, ifRange] of ranges) {
  test(`Range: ${range ?? "(absent)"}${ifRange === undefined ? "" : `, If-Range: ${ifRange}`}`, () => {
    const headers = {
      ...(range === undefined ? {} : { range }),
      ...(ifRange === undefined ? {} : { "if-range": ifRange }),
    };
    const found = rangeOf(headers, 10, '"a"');
    assert.deepEqual(typeof found === "string" ? found : { ...found }, expected);
  });
}

test("an empty file has no range", () => {
  for (const range of ["bytes=0-", "bytes=0-0", "bytes=-1"]) {
    assert.equal(rangeOf({ range }, 0, '"a"'), "none");
  }
});

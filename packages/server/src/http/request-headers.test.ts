import assert from "node:assert/strict";
import { test } from "node:test";
import { isFresh, networkOf, rangeOf } from "./request-headers.ts";

const NETWORKS: [address: string | undefined, network: string][] = [
  ["192.0.2.7", "192.0.2.7"],
  ["127.0.0.1", "127.0.0.1"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["::FFFF:192.0.2.7", "192.0.2.7"],
  ["::ffff:c000:207", "192.0.2.7"],
  ["0:0:0:0:0:ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
  ["2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002:0:0:0:9", "2001:db8:1:2::/64"],
  ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:db8::1:0:0:1", "2001:db8:0:0::/64"],
  ["2001:db8:0:0:1::", "2001:db8:0:0::/64"],
  ["2001:db8:1:2:3:4:192.0.2.7", "2001:db8:1:2::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["::192.0.2.7", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["", ""],
  [undefined, ""],
  ["unknown", "unknown"],
  ["203.0.113.7:443", "203.0.113.7:443"],
  ["[2001:db8::1]", "[2001:db8::1]"],
  ["2001:db8::1::", "2001:db8::1::"],
];

for (const [address, network] of NETWORKS)
  test(`${address === "" ? "nothing" : address} counts as ${network || "itself"}`, () =>
    assert.equal(networkOf(address), network));

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

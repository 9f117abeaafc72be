import assert from "node:assert/strict";
import { test } from "node:test";
import {
  amount,
  list,
  oneOf,
  onOff,
  origin,
  pattern,
  type SettingType,
  text,
  url,
  whole,
} from "./setting-types.ts";

const digits = pattern("digits", /^\d+$/);

/** A type of setting, valid texts with their parsed values, and invalid texts. */
const rows: [name: string, kind: SettingType<unknown>, good: [string, unknown][], bad: string[]][] = [
  ["text", text, [["any thing", "any thing"]], []],
  [
    "onOff",
    onOff,
    [
      ["on", true],
      ["true", true],
      ["off", false],
      ["false", false],
    ],
    ["ON", "yes", "1", "0", " on"],
  ],
  [
    "whole from 1 to 10",
    whole(1, 10),
    [
      ["1", 1],
      ["10", 10],
    ],
    ["0", "11", "1.5", "-1", "1e1", "0x5", "five", " 5", "٣"],
  ],
  ["whole from 0", whole(0), [["9007199254740991", Number.MAX_SAFE_INTEGER]], ["9007199254740992", "-0"]],
  [
    "amount",
    amount,
    [
      ["0", 0],
      ["0.25", 0.25],
      ["50", 50],
    ],
    ["-1", ".5", "5.", "1e3", "1,5", "Infinity", "9".repeat(400)],
  ],
  ["oneOf", oneOf("a", "b"), [["b", "b"]], ["c", "B", "a,b", "a "]],
  [
    "list",
    list(digits),
    [
      ["1", ["1"]],
      [" 1, 2 ,,3 ", ["1", "2", "3"]],
      [" , ", []],
    ],
    ["1,x", "1 2"],
  ],
  [
    "url of http and https",
    url("http", "https"),
    [
      ["http://host", "http://host"],
      ["https://host:1/a?b#c", "https://host:1/a?b#c"],
    ],
    ["ftp://host", "host", "://host", "HTTP://host", "https://", "https://a b", "http://host:99999"],
  ],
  [
    "url of sqlite and postgres",
    url("sqlite", "postgres"),
    [
      ["sqlite:./data/easel.db", "sqlite:./data/easel.db"],
      ["postgres://u:p@h/d", "postgres://u:p@h/d"],
    ],
    ["postgres", "sqlite3:x", "postgres://h:port/d"],
  ],
  [
    "origin",
    origin,
    [
      ["https://example.com", "https://example.com"],
      ["HTTPS://Example.COM:443/", "https://example.com"],
      ["http://intranet:8080", "http://intranet:8080"],
      ["https://10.0.0.1", "https://10.0.0.1"],
    ],
    [
      "example.com",
      "*",
      "'self'",
      "https:",
      "https://*.example.com",
      "https://a.example;script-src",
      "https://a.example,b.example",
      "https://ada@example.com",
      "https://example.com/path",
      "https://example.com?a",
      "https://example.com#a",
      "https://[::1]",
      "ftp://example.com",
      "data:,a",
    ],
  ],
  ["pattern", digits, [["12", "12"]], ["1a", "1\n"]],
];

for (const [name, kind, good, bad] of rows) {
  for (const [given, value] of good) {
    test(`${name} reads \`${given.slice(0, 30)}\``, () => assert.deepEqual(kind.read(given), value));
  }
  for (const given of bad) {
    test(`${name} refuses ${JSON.stringify(given.slice(0, 30))}`, () =>
      assert.throws(() => kind.read(given)));
  }
}

test("every kind describes its valid texts", () => {
  const told = rows.map(([, { may }]) => may);
  assert.deepEqual(told, [
    "any text",
    "`on` or `off`",
    "a whole number from 1 to 10",
    "a whole number from 0",
    "a number from 0",
    "`a`, `b`",
    "a comma-separated list, each digits",
    "a URL that starts with `http:` or `https:`",
    "a URL that starts with `sqlite:` or `postgres:`",
    "an origin such as `https://example.com`",
    "digits",
  ]);
});

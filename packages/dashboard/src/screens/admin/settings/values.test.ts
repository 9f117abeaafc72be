import assert from "node:assert/strict";
import { test } from "node:test";
import { editedText, kindOf, patchOf, valueIn, wordsOf } from "./values.ts";

test("each key has the kind of its value", () => {
  const kinds = {
    publicLinks: "switch",
    "ai.models": "names",
    "ai.guestUsd": "dollars",
    "quotas.files.bytes.file": "bytes",
    "quotas.kv.keys.shared": "count",
    "quotas.versions.canvas": "count",
  };
  for (const [key, kind] of Object.entries(kinds)) assert.equal(kindOf(key), kind, key);
});

const read: [kind: Parameters<typeof valueIn>[0], text: string, value: unknown][] = [
  ["count", "200", 200],
  ["count", " 10,000 ", 10_000],
  ["count", "0", 0],
  ["count", "1.5", null],
  ["count", "-1", null],
  ["count", "", null],
  ["count", "many", null],
  ["count", "1e999", null],
  ["dollars", "$5", 5],
  ["dollars", "0.50", 0.5],
  ["dollars", "1,000.25", 1000.25],
  ["dollars", "-1", null],
  ["dollars", "", null],
  ["bytes", "1024", 1024],
  ["bytes", "500 MB", 500 * 1024 ** 2],
  ["bytes", "1.5gib", 1.5 * 1024 ** 3],
  ["bytes", "2 T", 2 * 1024 ** 4],
  ["bytes", "5 constructor", null],
  ["bytes", "5 XB", null],
  ["bytes", "1.2.3 MB", null],
  ["bytes", "", null],
  ["names", "one, two\nthree,", ["one", "two", "three"]],
  ["names", "", []],
];
for (const [kind, text, value] of read)
  test(`${kind} in ${JSON.stringify(text)}: ${value === null ? "a fault" : JSON.stringify(value)}`, () => {
    const found = valueIn(kind, text);
    if (value === null) assert.ok("fault" in found && found.fault.endsWith("."));
    else assert.deepEqual(found, { value });
  });

test("values in words, and the texts that are edited", () => {
  assert.equal(wordsOf("bytes", String(5 * 1024 ** 3)), "5 GB");
  assert.equal(wordsOf("count", "10000"), "10,000");
  assert.equal(wordsOf("dollars", "50"), "$50.00");
  assert.equal(wordsOf("switch", "on"), "on");
  assert.equal(wordsOf(null, "path"), "path");
  assert.equal(wordsOf("dollars", ""), "");
  assert.equal(editedText("bytes", String(5 * 1024 ** 3)), "5 GB");
  assert.equal(editedText("bytes", "1234567"), "1234567", "a rounded amount would change it");
  assert.equal(editedText("count", "200"), "200");
});

test("a change names one setting", () => {
  assert.deepEqual(patchOf("publicLinks", false), { publicLinks: false });
  assert.deepEqual(patchOf("ai.guestUsd", null), { ai: { guestUsd: null } });
  assert.deepEqual(patchOf("quotas.kv.keys.user", 5), { quotas: { "kv.keys.user": 5 } });
});

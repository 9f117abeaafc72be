import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import { ValueCount } from "./json-size.ts";
import { Refusal } from "./refusal.ts";

const most = LIMITS.jsonValues.value;
const list = (element: string, length: number) => `[${Array(length).fill(element).join(",")}]`;

/** A text, and whether it has too many values. */
const ROWS: [name: string, text: string, isLarge: boolean][] = [
  ["nothing", "", false],
  ["as many values as allowed", list("0", most - 1), false],
  ["one more", list("0", most), true],
  ["empty lists", list("[]", most / 2), true],
  ["empty objects", list("{}", most / 2), true],
  ["levels", "[".repeat(most), true],
  ["fields", `{${'"a":0,'.repeat(most)}}`, true],
  ["brackets and commas in a text", `"${"[{,".repeat(most)}"`, false],
  ["quotes in a text", `"${'\\",'.repeat(most)}"`, false],
  ["a text that ends with a backslash", `["\\\\",${list("0", most)}]`, true],
  ["a text without an end", `"${",".repeat(most)}`, false],
  ["a text that ends within an escape", '"\\', false],
];

for (const [name, text, isLarge] of ROWS) {
  test(`${name}: ${isLarge ? "400" : "accepted"}`, () => {
    const bytes = Buffer.from(text);
    for (const part of [bytes.length, 1, 1000]) {
      const act = () => {
        const { add } = new ValueCount();
        for (let at = 0; at < bytes.length; at += part) add(bytes.subarray(at, at + part));
      };
      if (isLarge) assert.throws(act, (error) => error instanceof Refusal && error.status === 400);
      else act();
    }
  });
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { viewsSentence } from "./views.ts";

const CASES: [total: number, people: number, access: "private" | "public_link", sentence: string][] = [
  [0, 0, "private", "Nobody has opened it in the last 30 days."],
  [1, 1, "private", "Opened once in the last 30 days, by 1 person."],
  [2, 1, "private", "Opened twice in the last 30 days, by 1 person."],
  [1_234, 56, "private", "Opened 1,234 times in the last 30 days, by 56 people."],
  [3, 0, "public_link", "Opened 3 times in the last 30 days, by nobody who was signed in."],
  [3, 1, "public_link", "Opened 3 times in the last 30 days. 1 person was signed in."],
  [9, 2, "public_link", "Opened 9 times in the last 30 days. 2 people were signed in."],
];
for (const [total, people, access, sentence] of CASES)
  test(sentence, () => assert.equal(viewsSentence({ total, people }, { access }), sentence));

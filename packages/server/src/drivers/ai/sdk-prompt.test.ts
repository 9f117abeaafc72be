import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatMessage } from "@easel/protocol/ai";
import { toSdkPrompt } from "./sdk-prompt.ts";

const MARK = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** Writes a conversation as a word: `u` and `a` are messages with text, `U` and `A` are empty ones. */
const messages = (word: string): ChatMessage[] =>
  [...word].map((letter) => ({
    role: letter.toLowerCase() === "u" ? "user" : "assistant",
    content: letter === letter.toLowerCase() ? `text of ${letter}` : "",
  }));

/** Returns the indexes of the marked messages of a converted prompt, after a system prompt if there is one. */
const marked = (word: string, system?: string) =>
  toSdkPrompt({ model: "m", maxTokens: 1, system, messages: messages(word) }, MARK).flatMap(
    ({ providerOptions }, index) => (providerOptions === undefined ? [] : [index]),
  );

const TABLE: [conversation: string, marked: number[], what: string][] = [
  ["u", [], "one question"],
  ["uu", [], "a question in two messages"],
  ["uau", [1], "the response before the newest question"],
  ["uauau", [3], "only the last response before it"],
  ["uauuu", [1], "the newest question has three messages"],
  ["uaau", [2], "the last of two responses"],
  ["ua", [], "the assistant is to continue its response"],
  ["uaua", [1], "the same after a second question"],
  ["a", [], "no question"],
  ["aa", [], "no question and two responses"],
  ["uAu", [], "an empty response takes no mark"],
  ["uaU", [1], "an empty question is a question"],
];

for (const [conversation, expected, what] of TABLE)
  test(`${conversation}: ${what}`, () => {
    assert.deepEqual(marked(conversation), expected);
    assert.deepEqual(marked(conversation, "Be brief."), [0, ...expected.map((index) => index + 1)]);
  });

test("an empty system prompt is left out", () => {
  assert.deepEqual(marked("uau", ""), [1]);
  assert.equal(
    toSdkPrompt({ model: "m", maxTokens: 1, system: "", messages: messages("u") }, MARK).length,
    1,
  );
});

test("without breakpoints nothing is marked, and the texts are unchanged", () => {
  const prompt = { model: "m", maxTokens: 1, system: "Be brief.", messages: messages("uaU") };
  assert.deepEqual(toSdkPrompt(prompt, undefined), [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "text of u" }] },
    { role: "assistant", content: [{ type: "text", text: "text of a" }] },
    { role: "user", content: [{ type: "text", text: "" }] },
  ]);
});

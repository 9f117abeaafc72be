import assert from "node:assert/strict";
import { test } from "node:test";
import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ChatMessage } from "@easel/protocol/ai";
import { fromMessageStart, fromSdkUsage, toSdkPrompt } from "./sdk-ai.ts";

/** Builds the usage of the AI SDK from numbers that another program has sent. */
const told = (input: Record<string, unknown>, output: unknown) =>
  ({ inputTokens: input, outputTokens: { total: output } }) as unknown as LanguageModelV4Usage;

const usage = (inputTokens: number, outputTokens: number, created = 0, read = 0) => ({
  inputTokens,
  outputTokens,
  cacheCreationInputTokens: created,
  cacheReadInputTokens: read,
});

test("no token is in two kinds, whether the provider tells the uncached ones or not", () => {
  const input = { total: 111, cacheRead: 100, cacheWrite: 10 };
  assert.deepEqual(fromSdkUsage(told(input, 7)), usage(1, 7, 10, 100));
  assert.deepEqual(fromSdkUsage(told({ ...input, noCache: 1 }, 7)), usage(1, 7, 10, 100));
  assert.deepEqual(fromSdkUsage(told({ total: 5 }, 0)), usage(5, 0));
});

test("usage without a total of input or output is none", () => {
  assert.equal(fromSdkUsage(told({}, 7)), null);
  assert.equal(fromSdkUsage(told({ total: 5 }, undefined)), null);
});

test("more tokens from the cache than in total give no negative number", () => {
  assert.deepEqual(fromSdkUsage(told({ total: 5, cacheRead: 8 }, 1)), usage(0, 1, 0, 8));
});

const HOSTILE = [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e9 + 1, 1e300, "12", null, {}, [3], true, 5n];

test("numbers that are no counts count as 0, and fractions are rounded", () => {
  for (const each of HOSTILE) {
    assert.deepEqual(
      fromSdkUsage(told({ total: each, noCache: each, cacheRead: each, cacheWrite: each }, each)),
      usage(0, 0),
      String(each),
    );
    assert.deepEqual(
      fromMessageStart({
        input_tokens: each,
        cache_creation_input_tokens: each,
        cache_read_input_tokens: each,
      }),
      usage(0, 0),
      String(each),
    );
  }
  assert.deepEqual(fromSdkUsage(told({ total: 1.5, noCache: 1.5 }, 1e9)), usage(2, 1e9));
});

test("the first event of the Messages API tells the input only", () => {
  const event = {
    input_tokens: 3,
    output_tokens: 9,
    cache_creation_input_tokens: 4,
    cache_read_input_tokens: 5,
  };
  assert.deepEqual(fromMessageStart(event), usage(3, 0, 4, 5));
  assert.deepEqual(fromMessageStart({ input_tokens: 3 }), usage(3, 0));
  for (const none of [undefined, null, 3, "3"]) assert.equal(fromMessageStart(none), null);
});

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

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Part, Prompt } from "../../drivers/ai/ai.ts";
import { highestPromptTokens, TokenMeter } from "./token-meter.ts";

/** A prompt of 9 bytes in UTF-8. */
const PROMPT: Prompt = {
  model: "m",
  system: "äb",
  messages: [
    { role: "user", content: "äöü" },
    { role: "assistant", content: "" },
  ],
  maxTokens: 10,
};
const usage = (inputTokens: number, outputTokens: number, created = 0, read = 0) => ({
  inputTokens,
  outputTokens,
  cacheCreationInputTokens: created,
  cacheReadInputTokens: read,
});

function metered(...parts: Part[]) {
  const meter = new TokenMeter(PROMPT);
  for (const part of parts) meter.add(part);
  return meter.usage;
}

const TABLE: [what: string, parts: Part[], expected: ReturnType<typeof usage>][] = [
  ["nothing received: no tokens", [], usage(0, 0)],
  ["only empty text received: no tokens", [{ type: "text", text: "" }], usage(0, 0)],
  [
    "the usage at the end counts, not the text or the input that was told before",
    [
      { type: "input", usage: usage(5, 0, 6, 7) },
      { type: "text", text: "abcdef" },
      { type: "end", usage: usage(1, 2, 3, 4) },
    ],
    usage(1, 2, 3, 4),
  ],
  ["input told, no output", [{ type: "input", usage: usage(5, 1, 6, 7) }], usage(5, 0, 6, 7)],
  [
    "input told: the output is estimated, 3 bytes a token",
    [
      { type: "input", usage: usage(5, 1, 6, 7) },
      { type: "text", text: "äöü" },
      { type: "text", text: "b" },
    ],
    usage(5, 3, 6, 7),
  ],
  ["nothing told: input and output are estimated", [{ type: "text", text: "abcd" }], usage(3, 2)],
  ["thinking counts as output", [{ type: "thinking", text: "abcd" }], usage(3, 2)],
  [
    "an end without usage: input and output are estimated",
    [
      { type: "text", text: "abc" },
      { type: "end", usage: null },
    ],
    usage(3, 1),
  ],
];

for (const [what, parts, expected] of TABLE) test(what, () => assert.deepEqual(metered(...parts), expected));

test("a prompt has at most a token per byte, and 16 for each message and for the system prompt", () => {
  assert.equal(highestPromptTokens(PROMPT), 9 + 3 * 16);
  const { system: _, ...rest } = PROMPT;
  assert.equal(highestPromptTokens({ ...rest, messages: [{ role: "user", content: "😀" }] }), 4 + 2 * 16);
});

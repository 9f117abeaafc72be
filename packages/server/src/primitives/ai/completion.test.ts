import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Part, Prompt } from "../../drivers/ai/ai.ts";
import { highestPromptTokens, TokenMeter } from "./completion.ts";

/** A prompt of 9 bytes in UTF-8, in two messages and a system prompt: at most 57 tokens. */
const PROMPT: Prompt = {
  model: "m",
  system: "äb",
  messages: [
    { role: "user", content: "äöü" },
    { role: "assistant", content: "" },
  ],
  maxTokens: 1_000,
};
const HIGHEST = 9 + 3 * 16;

const usage = (inputTokens: number, outputTokens: number, created = 0, read = 0) => ({
  inputTokens,
  outputTokens,
  cacheCreationInputTokens: created,
  cacheReadInputTokens: read,
});
const told = (...numbers: Parameters<typeof usage>) => ({ usage: usage(...numbers), inputTold: true });
const estimated = (output: number) => ({ usage: usage(HIGHEST, output), inputTold: false });

const INPUT: Part = { type: "input", usage: usage(5, 1, 6, 7) };
const text = (value: string): Part => ({ type: "text", text: value });
const END: Part = { type: "end", usage: usage(1, 2, 3, 4) };
const END_WITHOUT_USAGE: Part = { type: "end", usage: null };
/** A call of `miss` between the parts. */
const MISS = "miss";

type Row = [what: string, parts: (Part | typeof MISS)[], expected: ReturnType<TokenMeter["read"]>];

const WHICHEVER: Row[] = [
  ["the usage at the end counts, not what came before", [INPUT, text("abc"), MISS, END], told(1, 2, 3, 4)],
  [
    "an end without usage: each byte of the prompt and of the text counts",
    [text("äb"), text("c"), END_WITHOUT_USAGE],
    estimated(4),
  ],
  [
    "an end without usage after more text than maxTokens",
    [text("x".repeat(2e3)), END_WITHOUT_USAGE],
    estimated(1e3),
  ],
  [
    "an end without usage after thinking: the output counts as maxTokens",
    [{ type: "thinking", text: "" }, text("a"), END_WITHOUT_USAGE],
    estimated(1e3),
  ],
];

const INPUT_FIRST: Row[] = [
  ["nothing received: the highest input, and the output in flight", [], estimated(256)],
  ["the input told: that and the output in flight", [INPUT], told(5, 256, 6, 7)],
  [
    "text: each byte counts, and the output in flight",
    [INPUT, text("äöü"), text("b")],
    told(5, 7 + 256, 6, 7),
  ],
  ["never more output than maxTokens", [INPUT, text("x".repeat(900))], told(5, 1e3, 6, 7)],
  [
    "thinking begun: the output counts as maxTokens",
    [INPUT, { type: "thinking", text: "" }],
    told(5, 1e3, 6, 7),
  ],
  ["output missed: it counts as maxTokens", [INPUT, text("a"), MISS], told(5, 1e3, 6, 7)],
];

const USAGE_LAST: Row[] = [
  ["nothing received: the whole reservation", [], estimated(1e3)],
  ["text: the whole reservation", [text("a")], estimated(1e3)],
];

for (const [provider, tellsInputFirst, rows] of [
  ["a provider that tells the input first", true, [...WHICHEVER, ...INPUT_FIRST]],
  ["a provider that tells the usage last", false, [...WHICHEVER, ...USAGE_LAST]],
] as const)
  describe(provider, () => {
    for (const [what, parts, expected] of rows)
      test(what, () => {
        const meter = new TokenMeter(PROMPT, tellsInputFirst);
        for (const part of parts)
          if (part === MISS) meter.miss();
          else meter.add(part);
        assert.deepEqual(meter.read(), expected);
      });
  });

test("a prompt has at most a token per byte, and 16 for each message and for the system prompt", () => {
  assert.equal(highestPromptTokens(PROMPT), HIGHEST);
  const { system: _, ...rest } = PROMPT;
  assert.equal(highestPromptTokens({ ...rest, messages: [{ role: "user", content: "😀" }] }), 4 + 2 * 16);
});

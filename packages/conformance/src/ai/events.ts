import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { TokenUsage } from "@easel/protocol/ai";
import { readableFrom, withoutCors } from "../cors.ts";
import type { Stage } from "../fixture.ts";
import { pageOrigin } from "../page.ts";
import type { Target } from "../target.ts";
import { ask, askFor, chatOf, chatRoom, doneOf, eventsOf } from "./chat.ts";
import { USAGE } from "./script.ts";
import { costOf, MODEL, OTHER_MODEL } from "./settings.ts";
import { standInOf } from "./stand-in.ts";
import { stream } from "./stream.ts";

const NONE: TokenUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationInputTokens: 0,
  cacheReadInputTokens: 0,
};

/**
 * Numbers of tokens that the stand-in provider reports instead of those in `USAGE`. The event `done` must contain the same numbers. `name`
 * is a part of the test's name.
 */
const USAGES: [name: string, told: Partial<TokenUsage>][] = [
  ["without a cache", {}],
  ["of no token", NONE],
  ["of a cache that is read", { inputTokens: 3, cacheReadInputTokens: 90_001 }],
  ["of a cache that is written", { inputTokens: 3, cacheCreationInputTokens: 4_321 }],
  [
    "of all four kinds",
    { inputTokens: 11, outputTokens: 222, cacheCreationInputTokens: 3_333, cacheReadInputTokens: 44_444 },
  ],
];

const TEXTS = [
  "",
  " ",
  "\n",
  "\r\n\r\n",
  "data: [DONE]\n\n",
  "event: error\n",
  ': "\\',
  "\u2028",
  "\0",
  "👩‍🚀",
  "<b>",
];

/**
 * Tests the event stream with which the service responds to a chat: its headers, the text in `delta` events, and the tokens and cost in the
 * `done` event.
 */
export function events(target: Target): void {
  const { wire } = standInOf(target);
  describe("events", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await chatRoom(target);
    });

    it("the headers of an event stream that nothing on the way may keep or change", async () => {
      const answer = await askFor(canvas.pages.viewer, [{ text: "Hi" }, { end: {} }]);
      const { headers } = answer;
      assert.match(headers["content-type"] ?? "", /^text\/event-stream\s*(;|$)/);
      const caching = (headers["cache-control"] ?? "").split(",").map((each) => each.trim());
      for (const directive of ["private", "no-store", "no-transform"]) assert.ok(caching.includes(directive));
      assert.equal(headers["content-encoding"], undefined);
      assert.equal(headers["content-length"], undefined);
      if (target.urlMode === "subdomain") readableFrom(answer, pageOrigin(target, canvas.slug));
      else withoutCors(answer);
    });

    it("deltas, then done with usage and cost, and nothing else", async () => {
      const steps = [{ text: "One, " }, { text: "two", times: 3 }, { end: {} }];
      assert.deepEqual(eventsOf(await askFor(canvas.pages.viewer, steps)), [
        { type: "delta", text: "One, " },
        { type: "delta", text: "two" },
        { type: "delta", text: "two" },
        { type: "delta", text: "two" },
        { type: "done", usage: USAGE, cost: costOf(USAGE) },
      ]);
    });

    it("a response without text is only done", async () => {
      assert.equal(eventsOf(await askFor(canvas.pages.viewer, [{ end: {} }])).length, 1);
    });

    it("a model's thoughts are not shown", async () => {
      const steps = [{ think: "secret" }, { text: "Yes" }, { think: "secret" }, { text: "." }, { end: {} }];
      const answer = await askFor(canvas.pages.viewer, steps);
      assert.equal(doneOf(answer).text, "Yes.");
      assert.doesNotMatch(answer.text, /secret/);
    });

    it("a text arrives as the model wrote it, in one line of the stream", async () => {
      const answer = await askFor(canvas.pages.viewer, [...TEXTS.map((text) => ({ text })), { end: {} }]);
      assert.equal(doneOf(answer).text, TEXTS.join(""));
    });

    it("deltas arrive while the model writes", async () => {
      const steps = [{ text: "One" }, { text: "Two" }, { hang: true } as const];
      const open = await stream(target, canvas, canvas.people.viewer, chatOf(steps));
      assert.deepEqual(await open.next(), { type: "delta", text: "One" });
      assert.deepEqual(await open.next(), { type: "delta", text: "Two" });
      open.close();
    });

    for (const [name, told] of USAGES) {
      // OpenAI has no tokens that are written to its cache.
      const usage = {
        ...USAGE,
        ...told,
        ...(wire === "openai" ? { cacheCreationInputTokens: 0 } : {}),
      };
      it(`usage ${name}: as the provider tells it, and priced by kind`, async () => {
        for (const model of [MODEL, OTHER_MODEL] as const) {
          const answer = await ask(
            canvas.pages.viewer,
            chatOf([{ text: "Hi" }, { end: told }], "", { model }),
          );
          assert.deepEqual(doneOf(answer), { text: "Hi", usage, cost: costOf(usage, model) });
        }
      });
    }

    if (wire === "openai") {
      it("usage that the provider does not tell is estimated, and costs", async () => {
        const { usage, cost } = doneOf(await askFor(canvas.pages.viewer, [{ text: "Hello" }, { end: null }]));
        assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0, JSON.stringify(usage));
        // Input that was not told may cost as much as input that is written to a cache.
        const { inputTokens: cacheCreationInputTokens } = usage;
        const highest = costOf({ ...usage, inputTokens: 0, cacheCreationInputTokens });
        assert.ok(cost >= costOf(usage) && cost <= highest, `${cost}`);
      });
    }
  });
}

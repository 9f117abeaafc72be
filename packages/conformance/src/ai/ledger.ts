import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../patience.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { ask, askFor, chatOf, chatRoom, doneOf, freshMark, textBeforeError } from "./chat.ts";
import { play } from "./script.ts";
import { usageOf } from "./spending.ts";
import { arrival, closed } from "./stand-in.ts";
import { begin, stream } from "./stream.ts";

/**
 * Tests the usage figures of a canvas. An AI request that is sent to the provider counts once, whether it is completed, fails or is
 * aborted. A request that the service refuses does not count.
 */
export function ledger(target: Target): void {
  describe("usage and spend", () => {
    const settled = async (canvas: Parameters<typeof usageOf>[1]) => {
      await until(
        "every request is settled",
        async () => (await usageOf(target, canvas)).spend.reserved === 0,
      );
      return usageOf(target, canvas);
    };

    it("completed requests: their tokens and cost, summed up", async () => {
      const canvas = await chatRoom(target);
      const end = { inputTokens: 10, outputTokens: 20, cacheReadInputTokens: 40 };
      for (const page of [canvas.pages.owner, canvas.pages.viewer, canvas.pages.viewer])
        doneOf(await askFor(page, [{ text: "Hi" }, { end }]));
      const { spend, ai } = await settled(canvas);
      const cost = 0.000768;
      assert.deepEqual(ai.total, {
        requests: 3,
        incomplete: 0,
        inputTokens: 30,
        outputTokens: 60,
        cacheCreationInputTokens: 0,
        cacheReadInputTokens: 120,
        cost,
      });
      assert.equal(spend.spent, cost);
    });

    it("requests that the provider refused: counted, without tokens and cost", async () => {
      const canvas = await chatRoom(target);
      for (const status of [400, 429, 529])
        assert.equal(textBeforeError(await askFor(canvas.pages.viewer, [{ status }])), "");
      const { spend, ai } = await settled(canvas);
      const { requests, incomplete, cost, ...tokens } = ai.total;
      assert.deepEqual([requests, incomplete, cost, spend.spent], [3, 3, 0, 0]);
      assert.deepEqual(new Set(Object.values(tokens)), new Set([0]));
    });

    it("requests that were sent and aborted before a response: they cost at least a token per byte of input", async () => {
      const canvas = await chatRoom(target);
      const mark = freshMark();
      const { cost: complete } = doneOf(await askFor(canvas.pages.viewer, [{ end: { outputTokens: 0 } }]));
      const request = begin(target, canvas, canvas.people.viewer, chatOf([{ hang: true }], mark));
      await arrival(target, mark);
      assert.ok((await usageOf(target, canvas)).spend.reserved > 0);
      request.destroy();
      await closed(target, mark);
      const { spend, ai } = await settled(canvas);
      assert.deepEqual([ai.total.requests, ai.total.incomplete], [2, 1]);
      assert.ok(ai.total.inputTokens > play([{ hang: true }], mark).length);
      assert.ok(spend.spent > complete);
      assert.equal(spend.spent, ai.total.cost);
    });

    it("requests that end amid the response: counted with what the provider told, or an estimate", async () => {
      const canvas = await chatRoom(target);
      const text = "A response of several words.";
      assert.equal(textBeforeError(await askFor(canvas.pages.viewer, [{ text }, { error: "late" }])), text);
      const failed = await settled(canvas);
      assert.deepEqual([failed.ai.total.requests, failed.ai.total.incomplete], [1, 1]);
      assert.ok(failed.ai.total.inputTokens > 0 && failed.ai.total.outputTokens > 0);
      assert.ok(failed.spend.spent > 0);
      assert.equal(failed.spend.spent, failed.ai.total.cost);

      const mark = freshMark();
      const open = await stream(
        target,
        canvas,
        canvas.people.viewer,
        chatOf([{ text }, { hang: true }], mark),
      );
      await open.next();
      open.close();
      await closed(target, mark);
      const { spend, ai } = await settled(canvas);
      assert.deepEqual([ai.total.requests, ai.total.incomplete], [2, 2]);
      assert.ok(ai.total.outputTokens > failed.ai.total.outputTokens);
      assert.ok(spend.spent > failed.spend.spent);
    });

    it("refused requests are not counted", async () => {
      const canvas = await chatRoom(target, { switches: { aiAudience: "editors" } });
      refused(await ask(canvas.pages.owner, "{"), 400, "INVALID_BODY");
      refused(await ask(canvas.pages.owner, chatOf([], "", { model: "none" })), 403, "MODEL_NOT_ALLOWED");
      refused(await askFor(canvas.pages.viewer, [{ end: {} }]), 403, "PERMISSION_DENIED");
      const { spend, ai } = await usageOf(target, canvas);
      assert.deepEqual([ai.total.requests, spend.spent, spend.reserved], [0, 0, 0]);
    });
  });
}

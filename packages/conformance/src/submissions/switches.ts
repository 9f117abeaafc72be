import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { spend } from "../bucket.ts";
import { stage, turn } from "../fixture.ts";
import { answered, disabled, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { answerOf, type Submission } from "./answer.ts";

/** Tests that submissions are switched on and off together with the key-value store. */
export function switches(target: Target): void {
  describe("switches", () => {
    for (const [off, reason] of [
      [{ kv: false }, "feature_off"],
      [{ backendEnabled: false }, "backend_off"],
    ] as const) {
      it(`${reason}: every route is CAPABILITY_DISABLED for everyone, and what was stored is kept`, async () => {
        const canvas = await stage(target);
        const { owner, viewer } = canvas.pages;
        const stored = answerOf(await viewer.put("/submissions/poll/mine", "kept"));
        await turn(target, canvas, off);
        const answers = [
          await viewer.get("/submissions/poll/mine"),
          await viewer.put("/submissions/poll/mine", "changed"),
          await viewer.delete("/submissions/poll/mine"),
          await viewer.get("/submissions/poll"),
          await owner.get("/submissions/poll"),
          await owner.get("/submissions/-"),
          await owner.delete("/submissions/poll"),
          await owner.delete(`/submissions/poll/${stored.userId}`),
          await owner.post("/submissions/poll", 1),
        ];
        for (const answer of answers) disabled(answer, "kv", reason);
        await turn(target, canvas, { backendEnabled: true, kv: true });
        answered(await viewer.get("/submissions/poll/mine"), stored);
      });
    }

    it("the other switches do not affect submissions", async () => {
      const switches = { kv: true, files: false, ai: false, realtime: false, authoring: false };
      const { pages } = await stage(target, { switches });
      answerOf(await pages.viewer.put("/submissions/poll/mine", 1));
    });
  });
}

/** Tests that requests for submissions and requests for the key-value store count against the same rate limit. */
export function rates(target: Target): void {
  describe("rates", () => {
    it("one bucket with the key-value store; a refused request changes nothing", async () => {
      const { pages } = await stage(target);
      const { owner, viewer } = pages;
      const asks = [
        () => viewer.put("/submissions/poll/mine", 1),
        () => viewer.get("/kv"),
        () => viewer.get("/submissions/poll/mine"),
      ];
      await spend((index) => asks[index % asks.length]?.() ?? viewer.get("/me"), 200);
      refused(await viewer.put("/submissions/poll/mine", "late"), 429, "RATE_LIMITED");
      refused(await viewer.get("/kv"), 429, "RATE_LIMITED");
      const { entries } = (await owner.get("/submissions/poll")).json;
      assert.deepEqual(
        (entries as Submission[]).map(({ value }) => value),
        [1],
      );
      refused(await viewer.delete("/submissions/poll/mine"), 429, "RATE_LIMITED");
    });
  });
}

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { spend } from "../bucket.ts";
import { turn } from "../fixture.ts";
import { collecting } from "../policy.ts";
import { disabled, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { add, entriesIn } from "./entry.ts";

/** Tests that collections are switched on and off together with the key-value store. */
export function switches(target: Target): void {
  describe("switches", () => {
    for (const [off, reason] of [
      [{ kv: false }, "feature_off"],
      [{ backendEnabled: false }, "backend_off"],
    ] as const) {
      it(`${reason}: every route is CAPABILITY_DISABLED for everyone, and what was stored is kept`, async () => {
        const canvas = await collecting(target, { board: { preset: "collaborative" } });
        const made = await add(canvas.pages.viewer, "board", 1);
        const path = `/collections/board/${made.id}`;
        await turn(target, canvas, off);
        for (const role of ["owner", "viewer"] as const) {
          const page = canvas.pages[role];
          const answers = [
            await page.get("/collections/board"),
            await page.post("/collections/board", 1),
            await page.delete("/collections/board"),
            await page.get("/collections/board/permissions"),
            await page.get("/collections/board/count"),
            await page.get(path),
            await page.put(path, 2),
            await page.delete(path),
            await page.post(`${path}/increment`, { by: 1 }),
            await page.get("/collections/none"),
            await page.get("/collections/-"),
            await page.put("/collections/board", 1),
          ];
          for (const answer of answers) disabled(answer, "kv", reason);
        }
        await turn(target, canvas, { backendEnabled: true, kv: true });
        assert.deepEqual(await entriesIn(canvas.pages.viewer, "board"), [made]);
      });
    }
  });
}

/** Tests that requests for collections and requests for the key-value store count against the same rate limit. */
export function rates(target: Target): void {
  describe("rates", () => {
    it("one bucket with the key-value store; a refused request changes nothing", async () => {
      const canvas = await collecting(target, { board: { preset: "collaborative" } });
      const { owner, viewer } = canvas.pages;
      const made = await add(viewer, "board", 1);
      const asks = [
        () => viewer.get(`/collections/board/${made.id}`),
        () => viewer.get("/kv"),
        () => viewer.get("/collections/board"),
      ];
      await spend((index) => asks[index % asks.length]?.() ?? viewer.get("/me"), 200);
      refused(await viewer.post("/collections/board", "late"), 429, "RATE_LIMITED");
      refused(await viewer.delete("/collections/board"), 429, "RATE_LIMITED");
      refused(await viewer.get("/kv"), 429, "RATE_LIMITED");
      assert.deepEqual(await entriesIn(owner, "board"), [made]);
    });
  });
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { ROLES, type Stage, stage, turn } from "../fixture.ts";
import { answered, disabled, refused } from "../refusal.ts";
import type { Target } from "../target.ts";

type Row = [
  backendEnabled: boolean,
  kv: boolean,
  path: string,
  capability: "identity" | "kv",
  off: "backend_off" | "feature_off" | null,
];

const ROWS: Row[] = [
  [false, false, "/me", "identity", "backend_off"],
  [false, false, "/kv", "kv", "backend_off"],
  [false, true, "/me", "identity", "backend_off"],
  [false, true, "/kv", "kv", "backend_off"],
  [false, true, "/kv/seed", "kv", "backend_off"],
  [false, true, "/kv/user", "kv", "backend_off"],
  [true, false, "/me", "identity", null],
  [true, false, "/kv", "kv", "feature_off"],
  [true, false, "/kv/seed", "kv", "feature_off"],
  [true, false, "/kv/user", "kv", "feature_off"],
  [true, true, "/me", "identity", null],
  [true, true, "/kv", "kv", null],
  [true, true, "/kv/seed", "kv", null],
  [true, true, "/kv/user", "kv", null],
];

/**
 * Tests that the service refuses requests for a capability that is off, such as `kv`. The response must say what has switched it off
 * (specification 4.1, step 5).
 */
export function capabilities(target: Target): void {
  describe("step 5: capability gate", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await stage(target);
      answered(await canvas.pages.owner.put("/kv/seed", "kept"), { ok: true });
    });

    for (const [backendEnabled, kv, path, capability, off] of ROWS) {
      it(`backend ${backendEnabled}, kv ${kv}, GET ${path}: ${off ?? "on"}, for everybody alike`, async () => {
        await turn(target, canvas, { backendEnabled, kv });
        for (const role of ROLES) {
          const answer = await canvas.pages[role].get(path);
          if (role === "stranger") refused(answer, 404, "OWNER_ONLY");
          else if (off === null) assert.equal(answer.status, 200, answer.text);
          else disabled(answer, capability, off);
        }
      });
    }

    it("a write to a primitive that is off changes nothing, and what was stored is kept", async () => {
      await turn(target, canvas, { backendEnabled: true, kv: false });
      const { owner } = canvas.pages;
      disabled(await owner.put("/kv/seed", "changed"), "kv", "feature_off");
      disabled(await owner.delete("/kv/seed"), "kv", "feature_off");
      disabled(await owner.post("/kv/count/increment", {}), "kv", "feature_off");
      await turn(target, canvas, { kv: true });
      answered(await owner.get("/kv/seed"), { value: "kept" });
      refused(await owner.get("/kv/count"), 404, "NOT_FOUND");
    });

    it("a new canvas has its backend off until one request turns it on", async () => {
      const fresh = await stage(target, { switches: null });
      disabled(await fresh.pages.owner.get("/kv"), "kv", "backend_off");
      await turn(target, fresh, { backendEnabled: true });
      answered(await fresh.pages.owner.get("/kv"), { entries: [], nextCursor: null });
    });
  });
}

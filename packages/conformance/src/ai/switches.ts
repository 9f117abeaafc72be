import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Stage, stage, turn } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import { open, type Page } from "../page.ts";
import { answered, disabled } from "../refusal.ts";
import type { Target } from "../target.ts";
import { canUseAi } from "./audiences.ts";
import { askFor, chatRoom, doneOf, freshMark } from "./chat.ts";
import { nothingWith } from "./stand-in.ts";

/** Tests that people can use AI on a canvas only while its switches `ai` and `backendEnabled` are both on. */
export function switches(target: Target): void {
  describe("switches", () => {
    let canvas: Stage;
    let callers: Page[];
    before(async () => {
      canvas = await chatRoom(target, { switches: { guestAi: true } });
      const guest = open(target, canvas.slug, await guestOf(target, canvas));
      callers = [canvas.pages.owner, canvas.pages.viewer, guest];
    });

    it("a new canvas has AI on once its backend is on", async () => {
      const fresh = await stage(target, { switches: null });
      disabled(await askFor(fresh.pages.owner, [{ end: {} }]), "ai", "backend_off");
      await turn(target, fresh, { backendEnabled: true });
      doneOf(await askFor(fresh.pages.owner, [{ end: {} }]));
    });

    for (const [off, reason] of [
      [{ ai: false }, "feature_off"],
      [{ backendEnabled: false }, "backend_off"],
      [{ ai: false, backendEnabled: false }, "backend_off"],
    ] as const) {
      it(`${JSON.stringify(off)}: CAPABILITY_DISABLED, ${reason}, for everyone, and the provider is not asked`, async () => {
        await turn(target, canvas, off);
        const mark = freshMark();
        for (const page of callers) disabled(await askFor(page, [{ end: {} }], mark), "ai", reason);
        await nothingWith(target, mark);
        if (reason === "feature_off") for (const page of callers) assert.equal(await canUseAi(page), false);
        await turn(target, canvas, { ai: true, backendEnabled: true });
        for (const page of callers) {
          doneOf(await askFor(page, [{ end: {} }]));
          assert.equal(await canUseAi(page), true);
        }
      });
    }

    it("AI works while the other switches are off", async () => {
      await turn(target, canvas, { kv: false, files: false, realtime: false });
      doneOf(await askFor(canvas.pages.viewer, [{ end: {} }]));
    });
  });
}

/**
 * Tests a service that has no key for an AI provider: it must refuse all chat requests with `operator_disabled`. The service must have the
 * models and prices in `SETTINGS`.
 */
export function operatorDisabled(target: Target): void {
  describe("AI without a provider key", () => {
    it("operator_disabled for everyone, and everything else works", async () => {
      const canvas = await chatRoom(target, { switches: { guestAi: true } });
      const guest = open(target, canvas.slug, await guestOf(target, canvas));
      for (const page of [canvas.pages.owner, canvas.pages.viewer, guest]) {
        disabled(await askFor(page, [{ end: {} }]), "ai", "operator_disabled");
        assert.equal(await canUseAi(page), false);
      }
      answered(await canvas.pages.owner.put("/kv/a", 1), { ok: true });
    });
  });
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { AuthoredCanvas } from "@easel/protocol/types";
import { spend } from "../bucket.ts";
import { type Stage, turn } from "../fixture.ts";
import type { Page } from "../page.ts";
import { disabled, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { announce } from "./announce.ts";
import { author, bundleOf, revise } from "./form.ts";
import { add, listed, sharesOf, studio } from "./share.ts";

const everyRoute = async (page: Page, { id }: { id: string }) => [
  await author(page, { title: "New" }),
  await author(page, "no JSON", ""),
  await revise(page, id, { title: "New" }),
  await revise(page, "a-1", {}, bundleOf("new")),
  await page.get("/authoring"),
  await page.delete(`/authoring/${id}`),
  await page.put("/authoring", 1),
];

const mayPublish = async (page: Page) =>
  ((await page.get("/me")).json.permissions as Record<string, boolean>).canCreateCanvas;

/** Tests the switch that turns authoring on and off for a canvas. */
export function switches(target: Target): void {
  describe("switches", () => {
    let canvas: Stage;
    let share: AuthoredCanvas;
    before(async () => {
      canvas = await studio(target);
      share = await add(canvas.pages.owner);
    });

    it("authoring is off on a new canvas", async () => {
      const fresh = await studio(target, { people: canvas.people, switches: null });
      await turn(target, fresh, { backendEnabled: true });
      disabled(await fresh.pages.owner.get("/authoring"), "authoring", "feature_off");
      assert.equal(await mayPublish(fresh.pages.owner), false);
    });

    for (const [off, reason] of [
      [{ authoring: false }, "feature_off"],
      [{ backendEnabled: false }, "backend_off"],
    ] as const) {
      it(`${reason}: every route is CAPABILITY_DISABLED for everyone, and shares stay`, async () => {
        await turn(target, canvas, off);
        for (const role of ["owner", "viewer"] as const)
          for (const answer of await everyRoute(canvas.pages[role], share))
            disabled(answer, "authoring", reason);
        const early = await announce(target, canvas.slug, canvas.people.owner, "POST", "/authoring");
        disabled(early, "authoring", reason);
        await turn(target, canvas, { backendEnabled: true, authoring: true });
        assert.deepEqual(await listed(canvas.pages.owner, share), share);
      });
    }

    it("authoring works while KV and files are off", async () => {
      await turn(target, canvas, { kv: false, files: false });
      assert.equal((await author(canvas.pages.viewer, { title: "New" })).status, 200);
    });
  });
}

/** Tests that requests for authoring and for the key-value store count against the same rate limit. */
export function rates(target: Target): void {
  describe("rates", () => {
    it("one bucket with the key-value store; a refused request changes nothing", async () => {
      const canvas = await studio(target);
      const { owner, viewer } = canvas.pages;
      const asks = [
        () => viewer.get("/authoring"),
        () => viewer.get("/kv"),
        () => author(viewer, { title: "New" }),
      ];
      await spend((index) => asks[index % asks.length]?.() ?? viewer.get("/me"), 200);
      refused(await author(viewer, { title: "Refused" }), 429, "RATE_LIMITED");
      refused(await viewer.delete("/authoring/a-1"), 429, "RATE_LIMITED");
      const other = await studio(target, { people: canvas.people });
      assert.ok((await sharesOf(other.pages.viewer)).every(({ title }) => title === "New"));
      assert.equal((await owner.get("/authoring")).status, 200);
    });
  });
}

/** Tests a service whose operator has not switched authoring on with `SERVICE_AUTHORING=on`. */
export function operatorDisabled(target: Target): void {
  if (target.rateLimited) return;
  describe("authoring switched off by the deployment", () => {
    it("operator_disabled: every route is CAPABILITY_DISABLED, whatever the canvas's switch is", async () => {
      const canvas = await studio(target);
      for (const role of ["owner", "viewer"] as const) {
        for (const answer of await everyRoute(canvas.pages[role], { id: canvas.id }))
          disabled(answer, "authoring", "operator_disabled");
        assert.equal(await mayPublish(canvas.pages[role]), false);
      }
      await turn(target, canvas, { authoring: false });
      for (const answer of await everyRoute(canvas.pages.owner, { id: canvas.id }))
        assert.equal(answer.json.code, "CAPABILITY_DISABLED");
    });
  });
}

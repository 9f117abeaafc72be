import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { ErrorCode } from "@easel/protocol/errors";
import { amend, type Stage, stage, turn } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import { publish } from "../lifecycle.ts";
import { open, type Page } from "../page.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { tokenOf } from "../token.ts";
import { askFor, doneOf, freshMark } from "./chat.ts";
import { nothingWith, onlyWith } from "./stand-in.ts";

type Outcome = "allowed" | [status: number, code: ErrorCode];
type Caller = "owner" | "editor" | "viewer" | "guest" | "stranger";

const DENIED: Outcome = [403, "PERMISSION_DENIED"];
const NO_GUESTS: Outcome = [403, "GUEST_AI_DISABLED"];
const OWNER_ONLY: Outcome = [404, "OWNER_ONLY"];

/**
 * Each row has a value of `aiAudience`, a value of `guestAi`, and the expected outcome of an AI request by each caller on a canvas with
 * these two settings.
 */
const ROWS: ["editors" | "viewers", guestAi: boolean, Record<Caller, Outcome>][] = [
  [
    "editors",
    false,
    { owner: "allowed", editor: "allowed", viewer: DENIED, guest: NO_GUESTS, stranger: OWNER_ONLY },
  ],
  [
    "editors",
    true,
    { owner: "allowed", editor: "allowed", viewer: DENIED, guest: DENIED, stranger: OWNER_ONLY },
  ],
  [
    "viewers",
    false,
    { owner: "allowed", editor: "allowed", viewer: "allowed", guest: NO_GUESTS, stranger: OWNER_ONLY },
  ],
  [
    "viewers",
    true,
    { owner: "allowed", editor: "allowed", viewer: "allowed", guest: "allowed", stranger: OWNER_ONLY },
  ],
];

/** Requests `GET /me` and returns `permissions.canUseAi`, which says whether the caller may use AI. */
export const canUseAi = async (page: Page): Promise<unknown> =>
  ((await page.get("/me")).json.permissions as Record<string, unknown>).canUseAi;

/** Tests who may use AI. */
export function audiences(target: Target): void {
  describe("audiences", () => {
    let canvas: Stage;
    let pages: Record<Caller, Page>;
    before(async () => {
      canvas = await stage(target);
      pages = { ...canvas.pages, guest: open(target, canvas.slug, await guestOf(target, canvas)) };
    });
    const check = async (page: Page, outcome: Outcome) => {
      const mark = freshMark();
      const answer = await askFor(page, [{ text: "Hi" }, { end: {} }], mark);
      if (outcome === "allowed") {
        assert.equal(doneOf(answer).text, "Hi");
        await onlyWith(target, mark);
      } else {
        refused(answer, ...outcome);
        await nothingWith(target, mark);
      }
    };

    it("a new canvas is for owner and editors, without guests", async () => {
      const { viewer, editor, guest } = pages;
      await turn(target, canvas, { ai: true });
      await check(editor, "allowed");
      await check(viewer, DENIED);
      await check(guest, NO_GUESTS);
    });

    for (const [aiAudience, guestAi, outcomes] of ROWS) {
      for (const [caller, outcome] of Object.entries(outcomes) as [Caller, Outcome][]) {
        const expected = outcome === "allowed" ? "allowed" : outcome.join(" ");
        it(`aiAudience ${aiAudience}, guestAi ${guestAi}, ${caller}: ${expected}, and canUseAi agrees`, async () => {
          await turn(target, canvas, { aiAudience, guestAi });
          await check(pages[caller], outcome);
          if (outcome !== OWNER_ONLY) assert.equal(await canUseAi(pages[caller]), outcome === "allowed");
        });
      }
    }

    it("a change of the audience counts from the next request on", async () => {
      await turn(target, canvas, { aiAudience: "viewers" });
      await check(pages.viewer, "allowed");
      await turn(target, canvas, { aiAudience: "editors" });
      await check(pages.viewer, DENIED);
    });

    it("a signed-in stranger on Whole org is a viewer", async () => {
      const whole = await stage(target, { access: "whole_org", switches: { aiAudience: "viewers" } });
      await check(whole.pages.stranger, "allowed");
      await turn(target, whole, { aiAudience: "editors" });
      await check(whole.pages.stranger, DENIED);
    });

    it("an administrator has no right of their own", async () => {
      const admin = open(target, canvas.slug, await target.signIn(target.admin));
      await check(admin, OWNER_ONLY);
    });

    it("a token has the rights of its person", async () => {
      const { editor, viewer } = canvas.people;
      await check(open(target, canvas.slug, await tokenOf(target, editor)), "allowed");
      await check(open(target, canvas.slug, await tokenOf(target, viewer)), DENIED);
    });

    it("a Public link: STATIC_ONLY for everyone but owner and editors", async () => {
      const link = await stage(target, { switches: { aiAudience: "viewers", guestAi: true } });
      await publish(target, link, "home");
      await amend(target, link, { access: "public_link" });
      await check(link.pages.editor, "allowed");
      for (const page of [link.pages.viewer, link.pages.stranger, open(target, link.slug, null)])
        await check(page, [403, "STATIC_ONLY"]);
    });
  });
}

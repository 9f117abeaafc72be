import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { disable, mayPublish } from "../admin.ts";
import { Browser } from "../browser.ts";
import { amend, cast, freshSlug, type Setup, type Stage, stage } from "../fixture.ts";
import { type Guest, guestOf } from "../guest.ts";
import { archive, expire, publish, remove, unpublish } from "../lifecycle.ts";
import { open, pageHeaders } from "../page.ts";
import { parallel } from "../parallel.ts";
import { refused, unauthenticated } from "../refusal.ts";
import type { Target } from "../target.ts";
import { PASSWORD } from "./causes.ts";
import { came, type Outcome } from "./outcome.ts";

type Change = (target: Target, canvas: Stage) => Promise<unknown>;
const STATIC: Outcome = [403, "STATIC_ONLY"];
const EXPIRED: Outcome = [404, "SHARE_EXPIRED"];

const inTurn =
  (...changes: Change[]): Change =>
  async (target, canvas) => {
    for (const change of changes) await change(target, canvas);
  };
const privately: Change = (target, canvas) => amend(target, canvas, { access: "private" });
const shareByLink: Change = (target, canvas) => amend(target, canvas, { access: "public_link" });
const publicly = inTurn(shareByLink, (target, canvas) => publish(target, canvas, "home"));
const lock: Change = (target, canvas) => amend(target, canvas, { password: PASSWORD });
const forbid: Change = (target, { people }) => mayPublish(target, people.owner, false);

/**
 * Each row has a change to a canvas, and the outcomes of `GET /me` after it: for an anonymous caller, and for a guest of the canvas.
 * "turned away" means 401, or a redirect to the sign-in page.
 */
const ROWS: [name: string, change: Change, anonymous: Outcome | "turned away", guest: Outcome][] = [
  ["private", privately, "turned away", "viewer"],
  ["Whole org", (target, canvas) => amend(target, canvas, { access: "whole_org" }), "turned away", "viewer"],
  ["Public link", publicly, STATIC, STATIC],
  ["private with a password", lock, "turned away", "viewer"],
  ["Public link with a password", inTurn(publicly, lock), [403, "PASSWORD_REQUIRED"], STATIC],
  ["private, expired", expire, "turned away", EXPIRED],
  ["Public link, expired", inTurn(publicly, expire), "turned away", EXPIRED],
  ["Public link, archived", inTurn(publicly, archive), "turned away", [404, "ARCHIVED"]],
  ["Public link, disabled", inTurn(publicly, disable), "turned away", [403, "DISABLED"]],
  ["Public link, deleted", inTurn(publicly, remove), "turned away", [404, "NOT_FOUND"]],
  ["Public link of an owner who may not", inTurn(publicly, forbid), "turned away", STATIC],
  ["private, unpublished", unpublish, "turned away", "viewer"],
  ["Public link, unpublished", inTurn(publicly, unpublish), "turned away", STATIC],
  ["Public link, unpublished without a version", inTurn(shareByLink, unpublish), "turned away", STATIC],
  ["Public link, draft", shareByLink, "turned away", STATIC],
  ["Public link, published again", inTurn(publicly, unpublish, publicly), STATIC, STATIC],
];

/** Tests whether the service admits anonymous callers and guests (specification 4.1, steps 1 and 3). */
export function visitors(target: Target): void {
  describe("steps 1 and 3: anonymous visitors and guests", () => {
    let scenes: { canvas: Stage; guest: Guest }[];
    before(async () => {
      scenes = await parallel(
        ROWS,
        async ([, change]) => {
          const canvas = await stage(target, { people: await cast(target) });
          const guest = await guestOf(target, canvas);
          await change(target, canvas);
          return { canvas, guest };
        },
        8,
      );
    });

    for (const [index, [name, , anonymous, guest]] of ROWS.entries()) {
      it(`${name}: anonymous ${anonymous}, guest ${guest}`, async () => {
        const scene = scenes[index] as (typeof scenes)[number];
        const nobody = await open(target, scene.canvas.slug, null).get("/me");
        if (anonymous === "turned away") unauthenticated(nobody, target);
        else came(nobody, anonymous);
        came(await open(target, scene.canvas.slug, scene.guest).get("/me"), guest);
      });
    }

    /** Creates a canvas with a page and a Public link. */
    async function link(setup: Setup = {}): Promise<Stage> {
      const canvas = await stage(target, { ...setup, access: "public_link" });
      await publish(target, canvas, "home");
      return canvas;
    }

    it("an anonymous caller of a Public link: 403 STATIC_ONLY on the whole runtime API", async () => {
      const { slug } = await link({ switches: { backendEnabled: false } });
      const page = open(target, slug, null);
      const answers = [
        await page.get("/kv"),
        await page.put("/kv/k", 1),
        await page.post("/kv/k/increment", {}),
        await page.delete("/kv/user/k"),
        await page.get("/no-such-path"),
        await page.post("/me", {}),
        await page.send("GET", "/me", pageHeaders(target, freshSlug())),
      ];
      for (const answer of answers) refused(answer, 403, "STATIC_ONLY");
    });

    it("STATIC_ONLY says whether the caller is signed in, so that a page offers signing in to those whom it may help", async () => {
      const { slug, pages } = await link();
      for (const [page, signedIn] of [
        [pages.viewer, true],
        [pages.stranger, true],
        [open(target, slug, null), false],
      ] as const) {
        const answer = await page.get("/me");
        refused(answer, 403, "STATIC_ONLY");
        assert.equal(answer.json.signedIn, signedIn);
      }
    });

    it("an invalid session counts as anonymous on a Public link", async () => {
      const { slug } = await link();
      const forged = {
        email: "",
        name: "",
        headers: [["Cookie", "easel_session=made-up"]] as [string, string][],
      };
      refused(await open(target, slug, forged).get("/me"), 403, "STATIC_ONLY");
    });

    it("an anonymous caller with the password of a Public link: 403 STATIC_ONLY", async () => {
      const canvas = await link({ terms: { password: PASSWORD } });
      const browser = new Browser(target);
      refused(await browser.api(canvas.slug).get("/me"), 403, "PASSWORD_REQUIRED");
      await browser.unlock(canvas.slug, PASSWORD);
      refused(await browser.api(canvas.slug).get("/me"), 403, "STATIC_ONLY");
    });

    it("the guest of another canvas: 404 NOT_INVITED on every rung", async () => {
      const guest = await guestOf(target, await stage(target));
      for (const access of ["private", "whole_org", "public_link"] as const) {
        const { slug } = await stage(target, { access });
        refused(await open(target, slug, guest).get("/me"), 404, "NOT_INVITED");
      }
    });

    it("a guest is no member: their address on another canvas's people list grants no access", async () => {
      const canvas = await stage(target);
      const guest = await guestOf(target, await stage(target), canvas.people.editor.email);
      refused(await open(target, canvas.slug, guest).get("/me"), 404, "NOT_INVITED");
    });

    it("a guest stays a viewer, even with the address of the owner", async () => {
      const canvas = await stage(target);
      const guest = await guestOf(target, canvas, canvas.people.owner.email);
      const page = open(target, canvas.slug, guest);
      came(await page.get("/me"), "viewer");
      refused(await page.put("/kv/k", 1), 403, "PERMISSION_DENIED");
    });

    it("an unused slug: 404 NOT_FOUND to a guest", async () => {
      const guest = await guestOf(target, await stage(target));
      refused(await open(target, freshSlug(), guest).get("/me"), 404, "NOT_FOUND");
    });
  });
}

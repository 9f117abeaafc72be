import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { ErrorCode } from "@easel/protocol/errors";
import { mayPublish, setPublicLinks } from "../admin.ts";
import { type Cast, cast, type Stage } from "../fixture.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { author, BROKEN, bundleOf, revise } from "./form.ts";
import { add, listed, shareOf, sharesOf, studio } from "./share.ts";

type Refusal = [status: number, code: ErrorCode];
const INVALID: Refusal = [400, "INVALID_BODY"];
const DAY_MS = 86_400_000;

/** The settings of the service that `limited` tests. */
export const LIMITED = {
  SERVICE_AUTHORING_ALLOWED_RUNGS: "whole_org,public_link",
  SERVICE_AUTHORING_MAX_EXPIRY_DAYS: "7",
  SERVICE_AUTHORING_USER_DAILY_MAX: "2",
};

/**
 * Tests `/authoring` on a service with the settings `LIMITED`. There, a page cannot publish a private canvas, `expiresAt` is at most seven
 * days ahead, and a person may publish two canvases a day.
 */
export function limited(target: Target): void {
  describe("rungs, the cap of the expiry, and the daily quota", () => {
    let people: Cast;
    let canvas: Stage;
    before(async () => {
      people = await cast(target);
      canvas = await studio(target, { people });
    });
    const open = { title: "A share", access: "whole_org" } as const;

    const refusals: [name: string, metadata: object][] = [
      ["the default, private", { title: "A share" }],
      ["private", { ...open, access: "private" }],
      ["specific_people", { ...open, access: "specific_people" }],
      ["an expiry after 7 days and an hour", { ...open, expiresAt: Date.now() + 7 * DAY_MS + DAY_MS / 24 }],
      ["an expiry after a century", { ...open, expiresAt: Date.now() + 36_500 * DAY_MS }],
    ];
    for (const [name, metadata] of refusals) {
      it(`POST with ${name}: 400 INVALID_BODY`, async () => {
        refused(await author(canvas.pages.owner, metadata), ...INVALID);
      });
    }

    it("an access and an expiry that are allowed: 200 for POST and PUT; others: 400 for PUT", async () => {
      const { owner } = canvas.pages;
      assert.deepEqual(await sharesOf(owner), []);
      const expiresAt = Date.now() + 7 * DAY_MS - DAY_MS / 24;
      const share = await add(owner, { ...open, expiresAt });
      assert.deepEqual([share.access, share.expiresAt], ["whole_org", expiresAt]);
      const locked = await add(owner, { ...open, access: "password", password: "p" });
      assert.deepEqual([locked.access, locked.hasPassword], ["public_link", true]);
      for (const metadata of [{ access: "private" }, { expiresAt: Date.now() + 8 * DAY_MS }])
        refused(await revise(owner, share.id, metadata), ...INVALID);
      assert.deepEqual(await listed(owner, share), share);
      const next = shareOf(await revise(owner, share.id, { access: "public_link", expiresAt: null }));
      assert.deepEqual([next.access, next.expiresAt], ["public_link", null]);
    });

    it("a canvas whose rung is no longer allowed: PUT of its other fields is 200, of its access 400", async () => {
      const { owner } = canvas.pages;
      assert.equal(shareOf(await revise(owner, canvas.id, { title: "New" })).access, "private");
      refused(await revise(owner, canvas.id, { access: "private" }), ...INVALID);
      refused(await revise(owner, canvas.id, { access: "specific_people" }), ...INVALID);
    });

    it("Public links off for the instance: 403 PUBLIC_LINKS_DISABLED, checked before the owner's right", async () => {
      const place = await studio(target);
      const { owner } = place.pages;
      const share = await add(owner, { ...open, access: "public_link", password: "p" });
      await mayPublish(target, place.people.owner, false);
      await setPublicLinks(target, false);
      try {
        for (const access of ["public_link", "password"]) {
          const answer = await author(owner, { ...open, access, password: "p", expiresAt: 1 });
          refused(answer, 403, "PUBLIC_LINKS_DISABLED");
          refused(await revise(owner, share.id, { access }), 403, "PUBLIC_LINKS_DISABLED");
        }
        refused(await revise(owner, share.id, { password: null }), 403, "PUBLIC_LINKS_DISABLED");
        assert.deepEqual(await sharesOf(owner), [share]);
      } finally {
        await setPublicLinks(target, true);
      }
    });

    it("two shares a day, failed ones included: 429 QUOTA_EXCEEDED, scope user_daily", async () => {
      const place = await studio(target);
      const { owner, editor } = place.pages;
      const failed = await author(owner, open, BROKEN);
      refused(failed, 502, "PUBLISH_FAILED");
      // None of these requests counts against the quota.
      refused(await author(owner, { ...open, title: "" }), ...INVALID);
      refused(await author(owner, open, ""), ...INVALID);
      refused(await author(owner, { ...open, slug: place.slug }), 409, "SLUG_TAKEN");
      refused(await author(owner, { ...open, access: "private" }), ...INVALID);
      const share = await add(owner, open);
      for (const metadata of [open, { ...open, slug: place.slug }, { ...open, slug: "No" }]) {
        const answer = await author(owner, metadata);
        refused(answer, 429, "QUOTA_EXCEEDED");
        assert.deepEqual([answer.json.scope, answer.json.limit], ["user_daily", 2]);
      }
      refused(await author(owner, { ...open, expiresAt: 1 }), ...INVALID);
      const ids = async () => (await sharesOf(owner)).map(({ id }) => id).sort();
      assert.deepEqual(await ids(), [String(failed.json.id), share.id].sort());

      // An update uses no quota, and a revocation restores none. A person has one quota for all canvases; other people have their own.
      shareOf(await revise(owner, share.id, { title: "New" }, bundleOf("new")));
      assert.equal((await owner.delete(`/authoring/${share.id}`)).status, 204);
      const other = await studio(target, { people: place.people });
      refused(await author(other.pages.owner, open), 429, "QUOTA_EXCEEDED");
      await add(editor, open);
      shareOf(await revise(owner, String(failed.json.id), {}, bundleOf("whole")));
    });

    it("concurrent requests: as many succeed as the quota allows", async () => {
      const { viewer } = canvas.pages;
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => author(viewer, open)));
      const refusals = answers.filter(({ status }) => status !== 200);
      assert.equal(refusals.length, 3);
      for (const answer of refusals) refused(answer, 429, "QUOTA_EXCEEDED");
      assert.equal((await sharesOf(viewer)).length, 2);
    });
  });
}

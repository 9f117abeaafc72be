import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { ErrorCode } from "@easel/protocol/errors";
import { manage, type Stage } from "../fixture.ts";
import { refused } from "../refusal.ts";
import { freshEmail, type Target } from "../target.ts";
import { author, BROKEN, revise } from "./form.ts";
import { add, listed, shareOf, sharesOf, studio, visit } from "./share.ts";

type Refusal = [status: number, code: ErrorCode];
const INVALID: Refusal = [400, "INVALID_BODY"];
const DAY_MS = 86_400_000;

/** The settings of the service that `strict` tests. */
export const STRICT = {
  SERVICE_AUTHORING_ALLOWED_RUNGS: "private,whole_org",
  SERVICE_AUTHORING_REQUIRE_EXPIRY: "on",
  SERVICE_AUTHORING_USER_TOTAL_MAX: "2",
  SERVICE_PUBLIC_LINKS: "off",
  SERVICE_TENANCY: "on",
};

/**
 * Tests authoring on a service with the settings `STRICT`. A share (a canvas that a page publishes) must have an expiry and may not have a
 * Public link, people belong to organisations, and each person may publish at most two shares.
 */
export function strict(target: Target): void {
  describe("required expiry, tenancy, no Public links, and the total quota", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await studio(target);
    });
    const expiresAt = Date.now() + DAY_MS;
    const lasting = { title: "A share", expiresAt };

    const refusals: [name: string, metadata: object, refusal: Refusal][] = [
      ["no expiry", { title: "A share" }, INVALID],
      ["an expiry in the past", { ...lasting, expiresAt: 1 }, INVALID],
      ["a rung that is not allowed, before Public links", { ...lasting, access: "public_link" }, INVALID],
      ["access password, which needs it", { ...lasting, access: "password", password: "p" }, INVALID],
      ["whole_org without an organisation", { ...lasting, access: "whole_org" }, [409, "ORG_REQUIRED"]],
      ["the same without an expiry", { title: "A share", access: "whole_org" }, [409, "ORG_REQUIRED"]],
    ];
    for (const [name, metadata, refusal] of refusals) {
      it(`POST with ${name}: ${refusal.join(" ")}`, async () => {
        refused(await author(canvas.pages.owner, metadata), ...refusal);
        assert.deepEqual(await sharesOf(canvas.pages.owner), []);
      });
    }

    it("an organisation of others: 400 INVALID_BODY, reason org_forbidden, before the rung", async () => {
      for (const metadata of [lasting, { title: "A share", access: "public_link" }]) {
        const answer = await author(canvas.pages.owner, { ...metadata, orgId: "of-others" });
        refused(answer, ...INVALID);
        assert.equal(answer.json.reason, "org_forbidden");
      }
      assert.deepEqual(await sharesOf(canvas.pages.owner), []);
    });

    it("PUT has the same rules; two shares in all: 429 QUOTA_EXCEEDED, scope user_total", async () => {
      const { viewer } = canvas.pages;
      const share = await add(viewer, lasting);
      assert.equal(share.expiresAt, expiresAt);
      refused(await revise(viewer, share.id, { expiresAt: null }), ...INVALID);
      refused(await revise(viewer, share.id, { access: "whole_org" }), 409, "ORG_REQUIRED");
      refused(await revise(viewer, share.id, { access: "public_link" }), ...INVALID);
      assert.deepEqual(await listed(viewer, share), share);

      refused(await author(viewer, lasting, BROKEN), 502, "PUBLISH_FAILED");
      const answer = await author(viewer, { ...lasting, slug: canvas.slug });
      refused(answer, 429, "QUOTA_EXCEEDED");
      assert.deepEqual([answer.json.scope, answer.json.limit], ["user_total", 2]);
      assert.equal((await sharesOf(viewer)).length, 2);
    });

    it("concurrent requests: as many succeed as the total quota allows", async () => {
      const { editor } = canvas.pages;
      const answers = await Promise.all([1, 2, 3, 4].map(() => author(editor, lasting)));
      const refusals = answers.filter(({ status }) => status !== 200);
      assert.equal(refusals.length, 2);
      for (const answer of refusals) {
        refused(answer, 429, "QUOTA_EXCEEDED");
        assert.equal(answer.json.scope, "user_total");
      }
      assert.equal((await sharesOf(editor)).length, 2);
    });

    it("a canvas without an expiry: PUT of its title is 200, of its access needs one", async () => {
      const { owner } = canvas.pages;
      assert.equal(shareOf(await revise(owner, canvas.id, { title: "New" })).expiresAt, null);
      refused(await revise(owner, canvas.id, { access: "private" }), ...INVALID);
      refused(await revise(owner, canvas.id, { expiresAt: null }), ...INVALID);
      const next = shareOf(await revise(owner, canvas.id, { access: "private", expiresAt }));
      assert.equal(next.expiresAt, expiresAt);
    });

    it("whole_org is for the organisation of the author, whose members alone see the share", async () => {
      const domain = `${slugLike()}.example`;
      const admin = await target.signIn(target.admin);
      const org = await manage(target, admin, "PUT", `/api/admin/orgs/${slugLike()}`, {
        name: "An organisation",
        domains: [domain],
      });
      assert.equal(org.status, 200, org.text);
      const [author, colleague] = [
        await target.signIn(`author@${domain}`),
        await target.signIn(`colleague@${domain}`),
      ];
      const place = await studio(target, { people: { ...canvas.people, owner: author } });
      const share = await add(place.pages.owner, { ...lasting, access: "whole_org" });
      const seen = async (person: typeof author) => (await visit(target, share, person)).status;
      assert.deepEqual([await seen(colleague), await seen(canvas.people.viewer)], [200, 404]);
    });
  });
}

const slugLike = () => freshEmail("o").split("@", 1)[0] ?? "o";

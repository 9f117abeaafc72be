import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { AuthoredCanvas } from "@easel/protocol/types";
import { mayPublish } from "../admin.ts";
import { type Stage, share as setSharing } from "../fixture.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { author, bundleOf, revise } from "./form.ts";
import { add, asStage, listed, shareOf, sharesOf, studio } from "./share.ts";

/**
 * Tests requests to `/authoring` by people who may not publish Public links. They cannot publish a canvas with a Public link. If a canvas
 * has one already, they can change its title, but not its files, access, password or expiry.
 */
export function publicLinks(target: Target): void {
  describe("Public links", () => {
    let canvas: Stage;
    let share: AuthoredCanvas;
    before(async () => {
      canvas = await studio(target);
      const { owner } = canvas.pages;
      const terms = { password: "open", expiresAt: Date.now() + 86_400_000 };
      share = await add(owner, { title: "A link", access: "public_link", ...terms }, bundleOf("old"));
      await setSharing(target, asStage(target, canvas, share), "public_link", { editor: "editor" });
      await mayPublish(target, canvas.people.owner, false);
      share = await listed(owner, share);
    });

    it("POST by someone who may not publish them: 403 PUBLIC_NOT_ALLOWED, and nothing is made", async () => {
      for (const access of ["public_link", "password"]) {
        const metadata = { title: "Mine", access, password: "open" };
        refused(await author(canvas.pages.owner, metadata), 403, "PUBLIC_NOT_ALLOWED");
        assert.equal((await author(canvas.pages.viewer, metadata)).status, 200, "others may");
      }
      assert.deepEqual(await sharesOf(canvas.pages.owner), [share]);
    });

    for (const [role, code] of [
      ["owner", "PUBLIC_NOT_ALLOWED"],
      ["editor", "PUBLIC_LINK_OWNER_GATED"],
    ] as const) {
      it(`PUT by the ${role} that results in a fresh Public link: 403 ${code}`, async () => {
        const page = canvas.pages[role];
        const changes = [
          { access: "public_link" },
          { access: "password" },
          { password: null },
          { password: "other" },
          { expiresAt: null },
          { expiresAt: Date.now() + 1e9, title: "New" },
        ];
        for (const change of changes) {
          refused(await revise(page, share.id, change), 403, code);
          refused(await revise(page, share.id, change, bundleOf("new")), 403, code);
        }
        assert.deepEqual(await listed(canvas.pages.owner, share), share);
      });

      it(`PUT by the ${role} that leaves access, password and expiry alone: 200, or 403 ${code} with a bundle`, async () => {
        const title = { title: `By the ${role}` };
        refused(await revise(canvas.pages[role], share.id, title, bundleOf(role)), 403, code);
        const next = await revise(canvas.pages[role], share.id, title);
        assert.equal(next.status, 200, next.text);
        share = await listed(canvas.pages.owner, share);
      });
    }

    it("PUT with a bundle does not publish the revoked share again as a Public link: 403", async () => {
      const { owner, editor } = canvas.pages;
      assert.equal((await owner.delete(`/authoring/${share.id}`)).status, 204);
      share = await listed(owner, share);
      refused(await revise(owner, share.id, {}, bundleOf("new")), 403, "PUBLIC_NOT_ALLOWED");
      refused(await revise(editor, share.id, {}, bundleOf("new")), 403, "PUBLIC_LINK_OWNER_GATED");
      assert.deepEqual(await listed(owner, share), share);
      const back = shareOf(await revise(owner, share.id, { access: "private" }, bundleOf("new")));
      assert.deepEqual([back.access, back.publicationStatus], ["private", "published"]);
    });

    it("PUT that makes it private: 200, and it cannot be a Public link again", async () => {
      const { owner, editor } = canvas.pages;
      assert.equal((await revise(editor, share.id, { access: "private", password: null })).status, 200);
      refused(await revise(owner, share.id, { access: "public_link" }), 403, "PUBLIC_NOT_ALLOWED");
      refused(
        await revise(editor, share.id, { access: "password", password: "p" }),
        403,
        "PUBLIC_LINK_OWNER_GATED",
      );
      assert.equal((await listed(owner, share)).access, "private");
    });
  });
}

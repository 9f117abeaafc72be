import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Stage } from "../fixture.ts";
import { remove } from "../lifecycle.ts";
import { refused, wrongMethod } from "../refusal.ts";
import type { Target } from "../target.ts";
import { bundleOf, revise } from "./form.ts";
import { add, asStage, listed, shareOf, sharesOf, studio, visit } from "./share.ts";

const PAGE = "<title>The page of the share</title>";

const METHODS: [method: string, path: string, allowed: string[]][] = [
  ["PUT", "/authoring", ["GET", "POST"]],
  ["PATCH", "/authoring", ["GET", "POST"]],
  ["DELETE", "/authoring", ["GET", "POST"]],
  ["GET", "/authoring/a-1", ["PUT", "DELETE"]],
  ["POST", "/authoring/a-1", ["PUT", "DELETE"]],
];

/**
 * Tests `DELETE /authoring/{id}`, which takes a published canvas offline, and `PUT /authoring/{id}`, which publishes it again. Also tests
 * that other methods get 405.
 */
export function revocations(target: Target): void {
  describe("revoke", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await studio(target);
    });

    it("204: the page stops, the share stays listed as revoked; a bundle publishes it again", async () => {
      const { owner } = canvas.pages;
      const metadata = {
        title: "A share",
        access: "public_link",
        tags: ["kept"],
        expiresAt: Date.now() + 1e9,
      };
      const share = await add(owner, metadata, bundleOf(PAGE));
      for (const person of [canvas.people.owner, null])
        assert.equal((await visit(target, share, person)).text, PAGE);

      const answer = await owner.delete(`/authoring/${share.id}`);
      assert.deepEqual([answer.status, answer.text], [204, ""]);
      const revoked = await listed(owner, share);
      const { updatedAt, revokedAt } = revoked;
      assert.ok(revokedAt !== null && Math.abs(revokedAt - Date.now()) < 3_600_000);
      assert.ok(updatedAt > share.updatedAt);
      const ended = { revokedAt, status: "revoked", publicationStatus: "unpublished", version: null };
      assert.deepEqual(revoked, { ...share, ...ended, updatedAt, bundleUpdatedAt: updatedAt });
      for (const person of [canvas.people.owner, canvas.people.viewer, null])
        assert.ok(!(await visit(target, share, person)).text.includes(PAGE));
      assert.equal((await visit(target, share, canvas.people.owner)).status, 404);

      refused(await owner.delete(`/authoring/${share.id}`), 404, "NOT_FOUND");
      assert.deepEqual(await listed(owner, share), revoked);

      const again = shareOf(await revise(owner, share.id, { title: "Back" }, bundleOf("two")));
      const { version } = again;
      assert.ok(version !== share.version && again.updatedAt > updatedAt);
      const times = { updatedAt: again.updatedAt, bundleUpdatedAt: again.updatedAt };
      assert.deepEqual(again, { ...share, title: "Back", version, ...times });
      assert.equal((await visit(target, again, null)).text, "two");
      assert.equal((await owner.delete(`/authoring/${share.id}`)).status, 204);
    });

    it("of concurrent requests one is 204, the others are 404", async () => {
      const { id } = await add(canvas.pages.owner);
      const answers = await Promise.all([1, 2, 3].map(() => canvas.pages.owner.delete(`/authoring/${id}`)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404, 404]);
    });

    it("deleted: 404 NOT_FOUND for PUT and DELETE, and not listed", async () => {
      const { owner } = canvas.pages;
      const share = await add(owner);
      await remove(target, asStage(target, canvas, share));
      refused(await owner.delete(`/authoring/${share.id}`), 404, "NOT_FOUND");
      refused(await revise(owner, share.id, { title: "New" }), 404, "NOT_FOUND");
      refused(await revise(owner, share.id, {}, bundleOf("new")), 404, "NOT_FOUND");
      assert.ok((await sharesOf(owner)).every(({ id }) => id !== share.id));
    });

    for (const id of ["a-1", "0", "%00", "..%2Fauthoring", "constructor", "%C3%A9", "a".repeat(4_000)]) {
      it(`no share ${id.slice(0, 12)}: 404 NOT_FOUND for PUT and DELETE`, async () => {
        refused(await canvas.pages.owner.delete(`/authoring/${id}`), 404, "NOT_FOUND");
        refused(await revise(canvas.pages.owner, id, { title: "New" }), 404, "NOT_FOUND");
      });
    }
    for (const [method, path, allowed] of METHODS) {
      it(`${method} ${path}: 405`, async () => {
        wrongMethod(await canvas.pages.owner.send(method, path), allowed);
      });
    }
  });
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { Browser } from "../browser.ts";
import { manage, type Stage } from "../fixture.ts";
import { accept, guestOf, invite, revoke } from "../guest.ts";
import { open, pageUrl } from "../page.ts";
import { refused, unauthenticated } from "../refusal.ts";
import type { Target } from "../target.ts";
import { finds, hidden, shown, siteOf } from "./site.ts";

/** Tests guests, and the invitation links that they open (docs/sharing.md#guests). */
export function invitations(target: Target): void {
  describe("invitations", () => {
    let site: Stage;
    before(async () => {
      site = await siteOf(target);
    });
    const invites = () => `/api/canvases/${site.id}/invites`;

    it("the link leads to the canvas, which the guest then sees, and no other", async () => {
      const invited = await invite(target, site);
      const browser = new Browser(target);
      const answer = await browser.send("GET", new URL(invited.url));
      assert.deepEqual([answer.status, answer.headers.location], [303, pageUrl(target, site.slug)]);
      const [line = "", ...more] = answer.headers["set-cookie"] ?? [];
      assert.deepEqual(more, []);
      for (const attribute of [/;\s*HttpOnly/i, /;\s*SameSite=Lax/i, /;\s*Path=\/(;|$)/i]) {
        assert.match(line, attribute);
      }
      await finds(target, site, browser, "in");
      await finds(target, await siteOf(target), browser, [404, "NOT_INVITED"]);
    });

    it("a link works in several browsers until it is revoked", async () => {
      const invited = await invite(target, site);
      const guest = await accept(target, invited);
      await accept(target, invited);
      await revoke(target, site, guest);
      const late = new Browser(target);
      hidden(await late.visit(invited.url), 404);
      await finds(target, site, late, "turned away");
    });

    it("revoking one leaves other guests as they are", async () => {
      const [first, second] = [await guestOf(target, site), await guestOf(target, site)];
      await revoke(target, site, first);
      unauthenticated(await open(target, site.slug, first).get("/me"), target);
      await finds(target, site, new Browser(target, second), "in");
    });

    it("an invalid link: 404, and no session", async () => {
      const { url } = await invite(target, site);
      const last = url.slice(-2, -1) === "A" ? "B" : "A";
      for (const forged of [`${url}A`, url.slice(0, -1), url.slice(0, -2) + last + url.slice(-1)]) {
        const browser = new Browser(target);
        const answer = await browser.visit(forged);
        assert.equal(answer.status, 404, forged);
        assert.equal(answer.headers["set-cookie"], undefined);
      }
    });

    it("only the owner invites and revokes", async () => {
      const { id } = await invite(target, site);
      const { editor, viewer, stranger } = site.people;
      const body = { email: "somebody@example.com" };
      for (const [person, status, code] of [
        [editor, 403, "OWNER_ONLY"],
        [viewer, 403, "PERMISSION_DENIED"],
        [stranger, 404, "NOT_FOUND"],
      ] as const) {
        refused(await manage(target, person, "POST", invites(), body), status, code);
        refused(await manage(target, person, "DELETE", `${invites()}/${id}`), status, code);
      }
      const other = await siteOf(target, { people: { ...site.people, owner: stranger } });
      const foreign = `/api/canvases/${other.id}/invites/${id}`;
      refused(await manage(target, stranger, "DELETE", foreign), 404, "NOT_FOUND");
    });

    it("the list names every invitation, and no link", async () => {
      const fresh = await siteOf(target);
      const [first, second] = [await guestOf(target, fresh), await guestOf(target, fresh)];
      await revoke(target, fresh, first);
      const { json, text } = await manage(
        target,
        fresh.people.owner,
        "GET",
        `/api/canvases/${fresh.id}/invites`,
      );
      const listed = json.invites as { id: string; email: string; revokedAt: number | null }[];
      const known = listed.map(({ id, email, revokedAt }) => [id, email, revokedAt === null]);
      assert.deepEqual(
        known.sort(),
        [
          [first.invite.id, first.email, false],
          [second.invite.id, second.email, true],
        ].sort(),
      );
      assert.ok(!text.includes(second.invite.url.slice(-20)));
    });

    it("a signed-in person with access keeps their session", async () => {
      const { url } = await invite(target, site);
      const browser = new Browser(target, site.people.editor);
      shown(await browser.visit(url));
      const { json } = await browser.api(site.slug).get("/me");
      assert.deepEqual([json.email, json.canvasRole], [site.people.editor.email, "editor"]);
    });
  });
}

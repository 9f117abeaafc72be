import assert from "node:assert/strict";
import { before, it } from "node:test";
import { amend, manage, type Stage, stage } from "@easel/conformance/fixture";
import { open, type Page } from "@easel/conformance/page";
import { refused } from "@easel/conformance/refusal";
import type { AuthoredCanvas } from "@easel/protocol/types";
import { onSqlite } from "../../support/engines.ts";
import { HOME, listed, publish, share, update } from "./share-form.ts";

await onSqlite(
  "authoring of which the scope is the canvas",
  (target, env) => {
    let site: Stage;
    let other: Stage;
    let made: AuthoredCanvas;
    const revoke = (page: Page, id: string) => page.send("DELETE", `/authoring/${id}`);
    const asItIs = (id: string) => env.db.all`
      select title, version_id, revoked_at, access, updated_at from canvases where id = ${id}`;
    /** Requires that a page can neither change nor take offline nor list a canvas. */
    const outOfReach = async (page: Page, id: string) => {
      const before = await asItIs(id);
      refused(await update(page, id, { title: "Taken over" }), 404, "NOT_FOUND");
      refused(await update(page, id, {}, HOME), 404, "NOT_FOUND");
      refused(await revoke(page, id), 404, "NOT_FOUND");
      assert.ok(!(await listed(page)).some((each) => each.id === id));
      assert.deepEqual(await asItIs(id), before);
    };
    before(async () => {
      const setup = { switches: { authoring: true }, access: "whole_org" } as const;
      site = await stage(target, setup);
      other = await stage(target, { ...setup, people: site.people });
      made = share(await publish(site.pages.viewer, {}));
    });

    it("a page lists, updates and revokes what it has published", async () => {
      const { viewer } = site.pages;
      const own = share(await publish(viewer, {}));
      assert.ok((await listed(viewer)).some(({ id }) => id === own.id));
      assert.equal(share(await update(viewer, own.id, { title: "New" }, HOME)).title, "New");
      assert.equal((await revoke(viewer, own.id)).status, 204);
    });

    it("an editor of such a canvas can update it from the same page", async () => {
      await amend(
        target,
        { ...site, id: made.id, people: { ...site.people, owner: site.people.viewer } },
        {
          people: [{ email: site.people.editor.email, role: "editor" }],
        },
      );
      assert.equal(share(await update(site.pages.editor, made.id, { title: "Ours" })).viewerRole, "editor");
      await outOfReach(other.pages.editor, made.id);
    });

    it("what another canvas has published, or the management API, is out of reach", async () => {
      await outOfReach(other.pages.viewer, made.id);
      const plain = await manage(target, site.people.viewer, "POST", "/api/canvases", { title: "Plain" });
      await outOfReach(site.pages.viewer, String(plain.json.id));
      await outOfReach(site.pages.owner, site.id);
      await outOfReach(site.pages.owner, other.id);
    });

    it("what an older release has published is out of reach", async () => {
      const old = share(await publish(site.pages.viewer, {}));
      await env.db.run`update canvases set authored_from = null where id = ${old.id}`;
      await outOfReach(site.pages.viewer, old.id);
    });

    it("an administrator has no rights on others' canvases, from no page", async () => {
      const admin = await target.signIn(target.admin);
      for (const { slug } of [site, other]) await outOfReach(open(target, slug, admin), made.id);
    });
  },
  { SERVICE_AUTHORING: "on", SERVICE_AUTHORING_SCOPE: "canvas", SERVICE_AUTHORING_USER_DAILY_MAX: "1000" },
);

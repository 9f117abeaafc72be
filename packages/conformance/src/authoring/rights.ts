import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { ErrorCode } from "@easel/protocol/errors";
import type { AuthoredCanvas } from "@easel/protocol/types";
import { disable } from "../admin.ts";
import { amend, manage, type Stage, share as setSharing, stage, turn } from "../fixture.ts";
import { type Guest, guestOf } from "../guest.ts";
import type { Answer } from "../http.ts";
import { open, type Page } from "../page.ts";
import { refused } from "../refusal.ts";
import type { Person, Target } from "../target.ts";
import { announce } from "./announce.ts";
import { author, bundleOf, revise } from "./form.ts";
import { add, asStage, listed, shareOf, sharesOf, studio, visit } from "./share.ts";

/**
 * Callers who try to update and revoke a canvas that a page has published. `viewerRole` is the field of that name in the response to the
 * update; null means that both requests must be refused with 404.
 */
const ROWS: [
  who: "owner" | "editor" | "viewer" | "nobody" | "admin",
  viewerRole: AuthoredCanvas["viewerRole"] | null,
][] = [
  ["owner", "owner"],
  ["editor", "editor"],
  ["viewer", null],
  ["nobody", null],
  ["admin", "admin"],
];

/** Calls every route of `/authoring` as the user of `page`. Returns the responses. */
const everyRoute = async (page: Page, { id }: AuthoredCanvas): Promise<Answer[]> => [
  await author(page, { title: "Mine" }),
  await author(page, "no JSON", ""),
  await revise(page, id, { title: "Mine" }),
  await revise(page, id, "no JSON", ""),
  await page.get("/authoring"),
  await page.get("/authoring?tags=a"),
  await page.delete(`/authoring/${id}`),
  await page.delete("/authoring/a-1"),
];

/** Tests who may publish, update and revoke canvases through `/authoring`. */
export function rights(target: Target): void {
  describe("rights", () => {
    let canvas: Stage;
    let admin: Person;
    before(async () => {
      canvas = await studio(target, { access: "whole_org" });
      admin = await target.signIn(target.admin);
    });
    /**
     * Publishes a canvas as the owner, through `/authoring`, and adds an editor and a viewer to it. Returns the canvas as `GET /authoring`
     * then lists it.
     */
    const shared = async (metadata = { title: "A share" }) => {
      const share = await add(canvas.pages.owner, metadata, bundleOf("old"));
      await setSharing(target, asStage(target, canvas, share), "private", {
        editor: "editor",
        viewer: "viewer",
      });
      return listed(canvas.pages.owner, share);
    };
    const pageOf = (who: (typeof ROWS)[number][0]) =>
      who === "admin" ? open(target, canvas.slug, admin) : canvas.pages[who === "nobody" ? "stranger" : who];

    for (const [who, viewerRole] of ROWS) {
      it(`PUT and DELETE by ${who}: ${viewerRole === null ? "404 NOT_FOUND, and nothing changes" : `as ${viewerRole}`}`, async () => {
        const share = await shared();
        const page = pageOf(who);
        if (viewerRole === null) {
          refused(await revise(page, share.id, { title: "New" }), 404, "NOT_FOUND");
          refused(await revise(page, share.id, {}, bundleOf("new")), 404, "NOT_FOUND");
          refused(await revise(page, share.id, "no JSON", ""), 404, "NOT_FOUND");
          refused(await page.delete(`/authoring/${share.id}`), 404, "NOT_FOUND");
          assert.deepEqual(await listed(canvas.pages.owner, share), share);
          assert.equal((await visit(target, share, canvas.people.owner)).text, "old");
          return;
        }
        const next = shareOf(await revise(page, share.id, { title: "New" }, bundleOf("new")));
        assert.deepEqual([next.title, next.viewerRole, next.createdBy], ["New", viewerRole, share.createdBy]);
        assert.equal((await visit(target, share, canvas.people.owner)).text, "new");
        assert.equal((await page.delete(`/authoring/${share.id}`)).status, 204);
        const { status, viewerRole: ownRole } = await listed(canvas.pages.owner, share);
        assert.deepEqual([status, ownRole], ["revoked", "owner"]);
        assert.equal(
          (await sharesOf(page)).some(({ id }) => id === share.id),
          who === "owner",
        );
      });
    }

    it("an administrator who is a viewer of the share: as admin", async () => {
      const share = await shared();
      const list = { people: [{ email: admin.email, role: "viewer" }] };
      await amend(target, asStage(target, canvas, share), list);
      const next = shareOf(await revise(pageOf("admin"), share.id, { title: "New" }));
      assert.deepEqual([next.title, next.viewerRole], ["New", "admin"]);
    });

    it("a canvas that was not made by authoring is updated and revoked, too, with a role on it", async () => {
      const other = await stage(target, { people: canvas.people });
      const { owner, editor, viewer } = canvas.pages;
      refused(await revise(viewer, other.id, { title: "New" }), 404, "NOT_FOUND");
      assert.equal(shareOf(await revise(editor, other.id, { title: "New" }, bundleOf("new"))).title, "New");
      assert.equal((await owner.delete(`/authoring/${other.id}`)).status, 204);
      const { json } = await manage(target, canvas.people.owner, "GET", `/api/canvases/${other.id}`);
      assert.deepEqual([json.title, json.publicationStatus], ["New", "unpublished"]);
      assert.ok((await sharesOf(owner)).every(({ id }) => id !== other.id));
    });

    it("a page may change its own canvas", async () => {
      const own = await studio(target, { people: canvas.people });
      assert.equal(shareOf(await revise(own.pages.owner, own.id, { title: "Itself" })).title, "Itself");
      refused(await revise(own.pages.viewer, own.id, { title: "Not mine" }), 404, "NOT_FOUND");
    });

    it("someone who cannot open the page: the refusal of the page", async () => {
      const closed = await studio(target, { people: canvas.people });
      const share = await shared();
      for (const answer of await everyRoute(closed.pages.stranger, share)) refused(answer, 404, "OWNER_ONLY");
      await amend(target, closed, { access: "public_link" });
      for (const answer of await everyRoute(closed.pages.stranger, share))
        refused(answer, 403, "STATIC_ONLY");
      assert.equal(shareOf(await author(closed.pages.owner, { title: "Open" })).title, "Open");
    });

    it("authoringAudience: editors: PERMISSION_DENIED for viewers on every route, also as owner of a share", async () => {
      const place = await studio(target);
      const share = await add(place.pages.viewer);
      await turn(target, place, { authoringAudience: "editors" });
      for (const answer of await everyRoute(place.pages.viewer, share))
        refused(answer, 403, "PERMISSION_DENIED");
      for (const role of ["owner", "editor"] as const)
        assert.equal(shareOf(await author(place.pages[role], { title: role })).title, role);
      const may = async (page: Page) =>
        ((await page.get("/me")).json.permissions as Record<string, boolean>).canCreateCanvas;
      assert.deepEqual([await may(place.pages.editor), await may(place.pages.viewer)], [true, false]);
      await turn(target, place, { authoringAudience: "viewers" });
      assert.equal(await may(place.pages.viewer), true);
      assert.deepEqual(await sharesOf(place.pages.viewer), [share]);
    });

    it("guests: 401 NOT_AUTHENTICATED on every route, whatever the audience is", async () => {
      const share = await shared();
      const guest: Guest = await guestOf(target, canvas);
      const page = open(target, canvas.slug, guest);
      for (const authoringAudience of ["viewers", "editors"] as const) {
        await turn(target, canvas, { authoringAudience });
        for (const answer of await everyRoute(page, share)) refused(answer, 401, "NOT_AUTHENTICATED");
      }
      await turn(target, canvas, { authoringAudience: "viewers" });
      assert.deepEqual(await listed(canvas.pages.owner, share), share);
    });

    it("rights are checked before the body is read", async () => {
      const share = await shared();
      const disabled = await shared();
      await disable(target, asStage(target, canvas, disabled));
      const place = await studio(target, {
        people: canvas.people,
        switches: { authoringAudience: "editors" },
      });
      const { owner, viewer, stranger } = canvas.people;
      const early: [
        slug: string,
        who: Person,
        method: string,
        path: string,
        status: number,
        code: ErrorCode,
      ][] = [
        [place.slug, viewer, "POST", "", 403, "PERMISSION_DENIED"],
        [canvas.slug, viewer, "PUT", `/${share.id}`, 404, "NOT_FOUND"],
        [canvas.slug, stranger, "PUT", `/${share.id}`, 404, "NOT_FOUND"],
        [canvas.slug, owner, "PUT", "/a-1", 404, "NOT_FOUND"],
        [canvas.slug, owner, "PUT", `/${disabled.id}`, 409, "DISABLED"],
      ];
      for (const [slug, who, method, path, status, code] of early)
        refused(await announce(target, slug, who, method, `/authoring${path}`), status, code);
    });
  });
}

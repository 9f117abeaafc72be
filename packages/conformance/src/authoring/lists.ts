import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { AuthoredCanvas } from "@easel/protocol/types";
import { disable } from "../admin.ts";
import { cast, manage, type Stage } from "../fixture.ts";
import { archive, expire, remove } from "../lifecycle.ts";
import { refused } from "../refusal.ts";
import { freshEmail, type Person, type Target } from "../target.ts";
import { makeTeam } from "../team.ts";
import { author, BROKEN, revise } from "./form.ts";
import { add, asStage, listed, shareOf, sharesOf, studio } from "./share.ts";

/**
 * Each row is a canvas that the test publishes from a page: its title, its tags, and its `metadata`, an object with any fields. `GET
 * /authoring` can filter by the tags and by the metadata fields `sourceApp` and `sourceKind`.
 */
const SHARES: [title: string, tags: string[], metadata: object][] = [
  ["plain", [], {}],
  ["notes", ["a"], { sourceApp: "notes", sourceKind: "board" }],
  ["notes list", ["a", "b"], { sourceApp: "notes", sourceKind: "list" }],
  ["other", ["a", "b", "c d"], { sourceApp: "other", sourceKind: "board" }],
  ["number", ["b"], { sourceApp: 1, sourceKind: ["board"] }],
  ["quoted", ['q"%_'], { sourceApp: "no%es", sourceKind: '"' }],
];

const FILTERS: [query: string, titles: string[]][] = [
  ["", ["plain", "notes", "notes list", "other", "number", "quoted"]],
  ["?sourceApp=notes", ["notes", "notes list"]],
  ["?sourceKind=board", ["notes", "other"]],
  ["?sourceApp=notes&sourceKind=board", ["notes"]],
  ["?sourceApp=Notes", []],
  ["?sourceApp=note", []],
  ["?sourceApp=1", []],
  ["?sourceApp=no%25es", ["quoted"]],
  ["?sourceKind=%22", ["quoted"]],
  ["?tags=a", ["notes", "notes list", "other"]],
  ["?tags=a,b", ["notes list", "other"]],
  ["?tags=b,a", ["notes list", "other"]],
  ["?tags=a,b,c%20d", ["other"]],
  ["?tags=A", []],
  ["?tags=a,none", []],
  ["?tags=q%22%25_", ["quoted"]],
  ["?tags=%25", []],
  ["?sourceApp=%00", []],
  ["?tags=%00", []],
  ["?sourceKind=%F0%9F%94%91&tags=%22", []],
  ["?tags=b&sourceApp=other", ["other"]],
  ["?tags=a&sourceKind=list&sourceApp=other", []],
];

/**
 * Tests `GET /authoring`, which lists the canvases that the caller has published from pages. Tests the filters, and which canvases each
 * caller sees.
 */
export function lists(target: Target): void {
  describe("list", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await studio(target);
      for (const [title, tags, metadata] of SHARES) await add(canvas.pages.viewer, { title, tags, metadata });
    });

    for (const [query, titles] of FILTERS) {
      it(`GET /authoring${query}: ${titles.join(", ") || "none"}`, async () => {
        const shares = await sharesOf(canvas.pages.viewer, query);
        assert.deepEqual(shares.map(({ title }) => title).sort(), titles.toSorted());
      });
    }

    it("shares in every state except deleted are listed", async () => {
      const { owner } = canvas.pages;
      const made: Record<string, AuthoredCanvas> = {};
      for (const state of ["published", "unpublished", "archived", "disabled", "expired", "deleted"])
        made[state] = await add(owner, { title: state, access: "whole_org" });
      const of = (state: string) => asStage(target, canvas, made[state] as AuthoredCanvas);
      assert.equal((await owner.delete(`/authoring/${of("unpublished").id}`)).status, 204);
      await archive(target, of("archived"));
      await disable(target, of("disabled"));
      await remove(target, of("deleted"));
      await expire(target, of("expired"));
      refused(await author(owner, { title: "draft" }, BROKEN), 502, "PUBLISH_FAILED");

      const states = (await sharesOf(owner)).map(({ title, publicationStatus }) => [
        title,
        publicationStatus,
      ]);
      const expected = ["published", "unpublished", "archived", "disabled", "expired", "draft"];
      assert.deepEqual(states.sort(), expected.map((state) => [state, state]).sort());
      const legacy = { published: "live", unpublished: "revoked", expired: "expired", archived: "live" };
      for (const [state, status] of Object.entries(legacy))
        assert.equal((await listed(owner, of(state))).status, status);
    });

    it("every page lists and changes the caller's shares, whichever page published them, but no other canvases", async () => {
      const people = await cast(target);
      const [one, two] = [await studio(target, { people }), await studio(target, { people })];
      const shares = [await add(one.pages.editor), await add(two.pages.editor)];
      const made = await manage(target, people.editor, "POST", "/api/canvases", { title: "By hand" });
      assert.equal(made.status, 201);
      for (const { pages } of [one, two]) {
        const ids = (await sharesOf(pages.editor)).map(({ id }) => id);
        assert.deepEqual(ids.sort(), shares.map(({ id }) => id).sort());
        assert.deepEqual(await sharesOf(pages.owner), []);
      }
      const [share] = shares as [AuthoredCanvas];
      const elsewhere = two.pages.editor;
      assert.equal(shareOf(await revise(elsewhere, share.id, { title: "New" })).title, "New");
      assert.equal((await elsewhere.delete(`/authoring/${share.id}`)).status, 204);
      assert.equal((await listed(one.pages.editor, share)).status, "revoked");
    });

    it("the list has the shares that the caller published and still owns or edits, with the caller's role", async () => {
      const people = await cast(target);
      const place = await studio(target, { people });
      const { owner, editor } = place.pages;
      const share = await add(owner);
      const path = `/api/canvases/${share.id}`;
      const sharing = (person: Person, list: object[]) =>
        manage(target, person, "PUT", `${path}/sharing`, { people: list });
      const edits = [{ email: people.editor.email, role: "editor" }];
      assert.equal((await sharing(people.owner, edits)).status, 200);
      assert.deepEqual(await sharesOf(editor), [], "edited, but not published by the caller");

      const given = await manage(target, people.owner, "PUT", `${path}/owner`, {
        email: people.editor.email,
      });
      assert.equal(given.status, 200, given.text);
      assert.deepEqual(
        (await sharesOf(owner)).map(({ id, viewerRole }) => [id, viewerRole]),
        [[share.id, "editor"]],
      );
      assert.deepEqual(await sharesOf(editor), []);

      for (const role of ["viewer", null]) {
        const list = role === null ? [] : [{ email: people.owner.email, role }];
        assert.equal((await sharing(people.editor, list)).status, 200);
        assert.deepEqual(await sharesOf(owner), []);
      }
    });

    it("audienceSummary counts people and teams and names them, without addresses", async () => {
      const { owner } = canvas.pages;
      const share = await add(owner);
      const team = await makeTeam(target, canvas.people.owner, [canvas.people.viewer]);
      const people = [
        { email: canvas.people.editor.email, role: "editor" },
        { email: freshEmail("unknown"), role: "viewer" },
      ];
      const settings = { people, teams: [{ id: team.id, role: "viewer" }] };
      const path = `/api/canvases/${share.id}/sharing`;
      assert.equal((await manage(target, canvas.people.owner, "PUT", path, settings)).status, 200);
      const { count, names } = (await listed(owner, share)).audienceSummary;
      assert.equal(count, 3);
      assert.ok(names.includes("A team") && names.includes(canvas.people.editor.name), names.join());
      assert.doesNotMatch(names.join(), /@/);
    });

    it("people who have published nothing have an empty list", async () => {
      const place = await studio(target);
      for (const role of ["owner", "editor", "viewer"] as const)
        assert.deepEqual(await sharesOf(place.pages[role]), []);
    });
  });
}

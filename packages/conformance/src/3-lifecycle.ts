import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Access, AuthoredCanvas } from "@easel/protocol/types";
import { disable, enable } from "./admin.ts";
import { amend, type Cast, cast, manage, type Stage, stage } from "./fixture.ts";
import { archive, expire, publish, remove, unarchive, unpublish } from "./lifecycle.ts";
import { parallel } from "./parallel.ts";
import type { Target } from "./target.ts";

type State = AuthoredCanvas["publicationStatus"];
type Status = AuthoredCanvas["status"];

/** A change to a canvas, and the values of `publicationStatus` and `status` that the canvas must have after it. */
type Row = [what: string, change: Change, publicationStatus: State, status: Status];
type Change = (target: Target, canvas: Stage) => Promise<void>;

const leave: Change = async () => {};
const share =
  (access: Access): Change =>
  (target, canvas) =>
    amend(target, canvas, { access });
const deploy: Change = (target, canvas) => publish(target, canvas, "a page");
const prolong: Change = (target, canvas) => amend(target, canvas, { expiresAt: null });

/**
 * The steps of one test: changes to one canvas, which has no version until "deployed". The effect of a row lasts until a later row ends it:
 * the canvas is expired from "expired" to "without an expiry", and revoked from "unpublished, too" to "deployed".
 */
const WITHOUT_VERSION: Row[] = [
  ["new", leave, "draft", "private"],
  ["shared with the organisation", share("whole_org"), "draft", "live"],
  ["expired", expire, "draft", "expired"],
  ["archived", archive, "archived", "expired"],
  ["unpublished, too", unpublish, "archived", "revoked"],
  ["disabled, too", disable, "disabled", "revoked"],
  ["enabled", enable, "archived", "revoked"],
  ["no longer archived", unarchive, "unpublished", "revoked"],
  ["deployed", deploy, "expired", "expired"],
  ["without an expiry", prolong, "published", "live"],
  ["private", share("private"), "published", "private"],
];

/**
 * The steps of one test: changes to one canvas, which gets a version in the first row. The effect of a row lasts until a later row ends it,
 * as "enabled" ends "disabled". In a row with "too", such as "archived, too", the row before is still in effect: the canvas is still
 * unpublished.
 */
const WITH_VERSION: Row[] = [
  ["deployed", deploy, "published", "private"],
  ["a Public link", share("public_link"), "published", "live"],
  ["disabled", disable, "disabled", "live"],
  ["enabled", enable, "published", "live"],
  ["archived", archive, "archived", "live"],
  ["no longer archived", unarchive, "published", "live"],
  ["unpublished", unpublish, "unpublished", "revoked"],
  ["archived, too", archive, "archived", "revoked"],
  ["no longer archived", unarchive, "unpublished", "revoked"],
  ["deployed again", deploy, "published", "live"],
  ["expired", expire, "expired", "expired"],
  ["unpublished, too", unpublish, "unpublished", "revoked"],
  ["disabled, too", disable, "disabled", "revoked"],
];

const MODES: [access: Access, accessMode: AuthoredCanvas["accessMode"]][] = [
  ["private", "restricted"],
  ["whole_org", "whole_org"],
  ["public_link", "public_link"],
];

/**
 * Tests specification 3: the states of a canvas, and the fields `publicationStatus` and `status` that show them.
 */
export function lifecycle(target: Target): void {
  if (target.rateLimited) return;
  describe("3 lifecycle", () => {
    let people: Cast;
    before(async () => {
      people = await cast(target);
    });
    const read = async ({ id }: Stage, person = people.owner) =>
      (await manage(target, person, "GET", `/api/canvases/${id}`)).json as unknown as AuthoredCanvas;
    const listed = async () => {
      const { json } = await manage(target, people.owner, "GET", "/api/canvases?limit=1000");
      return (json.canvases as AuthoredCanvas[]).map(({ id }) => id);
    };

    for (const [name, rows] of Object.entries({ "no version": WITHOUT_VERSION, "a version": WITH_VERSION })) {
      it(`a canvas with ${name}: ${rows.map(([what]) => what).join(", ")}`, async () => {
        const canvas = await stage(target, { people });
        for (const [what, change, publicationStatus, status] of rows) {
          await change(target, canvas);
          for (const role of ["owner", "editor", "viewer"] as const) {
            const view = await read(canvas, people[role]);
            assert.deepEqual(
              [what, role, view.publicationStatus, view.status, view.revokedAt !== null],
              [what, role, publicationStatus, status, status === "revoked"],
            );
          }
        }
        assert.ok((await listed()).includes(canvas.id));
      });
    }

    it("accessMode follows access, and `status` is private only for a private canvas", async () => {
      const canvas = await stage(target, { people });
      await deploy(target, canvas);
      for (const [access, accessMode] of MODES) {
        await amend(target, canvas, { access });
        const view = await read(canvas);
        assert.deepEqual(
          [view.access, view.accessMode, view.status],
          [access, accessMode, access === "private" ? "private" : "live"],
        );
      }
    });

    it("every deploy is a new version at the same URL, and every write advances `updatedAt`", async () => {
      const canvas = await stage(target, { people });
      const views = [await read(canvas)];
      for (const change of [deploy, share("whole_org"), deploy, unpublish, deploy]) {
        await change(target, canvas);
        views.push(await read(canvas));
      }
      const [draft, first, shared, second, revoked, third] = views;
      assert.deepEqual([draft?.version, shared?.version, revoked?.version], [null, first?.version, null]);
      assert.equal(new Set([first, second, third].map((view) => view?.version)).size, 3);
      assert.equal(new Set(views.map(({ url }) => url)).size, 1);
      for (const [index, { updatedAt, bundleUpdatedAt }] of views.entries()) {
        assert.equal(bundleUpdatedAt, updatedAt);
        assert.ok(index === 0 || updatedAt > (views[index - 1]?.updatedAt ?? 0), `${index}`);
      }
    });

    it("a deleted canvas is in no list, whatever its state was", async () => {
      const before = [leave, deploy, archive, unpublish, disable];
      const canvases = await parallel(before, async (change) => {
        const canvas = await stage(target, { people });
        await change(target, canvas);
        return canvas;
      });
      const all = await listed();
      for (const { id } of canvases) assert.ok(all.includes(id));
      await enable(target, canvases.at(-1) as Stage);
      for (const canvas of canvases) await remove(target, canvas);
      const left = await listed();
      for (const { id } of canvases) assert.ok(!left.includes(id));
    });
  });
}

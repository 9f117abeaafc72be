import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { disable } from "../admin.ts";
import { add as addRecord } from "../collections/entry.ts";
import { type Cast, cast, type Role, type Stage, share, stage, turn } from "../fixture.ts";
import { remove } from "../lifecycle.ts";
import { govern } from "../policy.ts";
import type { Target } from "../target.ts";
import { hold } from "./held.ts";
import { filesIn, uploadedOf } from "./record.ts";

const POLICY = {
  fileGroups: { photos: { preset: "collaborative" } },
  collections: { board: { preset: "collaborative" } },
} as const;

type Loss = (target: Target, canvas: Stage, recordId: string) => Promise<unknown>;

const LOSSES = {
  "removed from the canvas": (target, canvas) => share(target, canvas, "private", {}),
  "made a viewer": (target, canvas) => share(target, canvas, "private", { editor: "viewer" }),
  "files off": (target, canvas) => turn(target, canvas, { files: false }),
  "backend off": (target, canvas) => turn(target, canvas, { backendEnabled: false }),
  "KV off": (target, canvas) => turn(target, canvas, { kv: false }),
  "policy removed": (target, canvas) => govern(target, canvas, null),
  "creating only for editors": (target, canvas) =>
    govern(target, canvas, { ...POLICY, fileGroups: { photos: { preset: "managed" } } }),
  "updating only for editors": (target, canvas) =>
    govern(target, canvas, { ...POLICY, collections: { board: { preset: "managed" } } }),
  "record deleted": (_, { pages }, id) => pages.owner.delete(`/collections/board/${id}`),
  "collection cleared": (_, { pages }) => pages.owner.delete("/collections/board"),
  "canvas disabled": disable,
  "canvas deleted": remove,
} satisfies Record<string, Loss>;

/**
 * One test: who uploads, the form fields that are sent in addition to the file, and the status with which the upload must be refused.
 * `loss` is what happens during the upload, such as "made a viewer" or "record deleted".
 */
type Row = [who: Role, fields: Record<string, string>, loss: keyof typeof LOSSES, status: number];

const ATTACHED = { collection: "board", recordId: "" };

const ROWS: Row[] = [
  ["editor", {}, "removed from the canvas", 404],
  ["editor", {}, "made a viewer", 403],
  ["editor", {}, "files off", 403],
  ["editor", {}, "backend off", 403],
  ["owner", {}, "canvas disabled", 403],
  ["owner", {}, "canvas deleted", 404],
  ["viewer", { scope: "submission" }, "removed from the canvas", 404],
  ["viewer", { scope: "submission" }, "files off", 403],
  ["viewer", { group: "photos" }, "removed from the canvas", 404],
  ["viewer", { group: "photos" }, "policy removed", 404],
  ["viewer", { group: "photos" }, "creating only for editors", 403],
  ["viewer", ATTACHED, "removed from the canvas", 404],
  ["viewer", ATTACHED, "KV off", 403],
  ["owner", ATTACHED, "policy removed", 404],
  ["viewer", ATTACHED, "updating only for editors", 403],
  ["owner", ATTACHED, "record deleted", 404],
  ["owner", ATTACHED, "collection cleared", 404],
];

const named = (fields: Record<string, string>, recordId: string) =>
  "recordId" in fields ? { ...fields, recordId } : fields;

/** Tests that rights are checked again after the last byte of an upload. */
export function losses(target: Target): void {
  describe("rights that are lost during an upload", () => {
    let people: Cast;
    before(async () => {
      people = await cast(target);
    });
    const held = async (who: Role, fields: Record<string, string>) => {
      const canvas = await stage(target, { people });
      await govern(target, canvas, POLICY);
      const { id } = await addRecord(canvas.pages.viewer, "board", 1);
      return { canvas, id, upload: await hold(target, canvas, people[who], named(fields, id)) };
    };

    for (const [who, fields, loss, status] of ROWS) {
      const to = Object.keys(fields).length === 0 ? "shared" : Object.values(fields).join(" ");
      it(`${to} by the ${who}, ${loss}: ${status} wherever the file is, and nothing is stored`, async () => {
        const { canvas, id, upload } = await held(who, fields);
        const other = await hold(target, canvas, people[who], named(fields, id), undefined, "first");
        await LOSSES[loss](target, canvas, id);
        for (const answer of [await upload.finish(), await other.finish()])
          assert.equal(answer.status, status, answer.text);
        if (loss === "canvas disabled" || loss === "canvas deleted") return;
        await turn(target, canvas, { backendEnabled: true, files: true, kv: true });
        await share(target, canvas, "private", { editor: "editor", viewer: "viewer" });
        await govern(target, canvas, POLICY);
        for (const role of ["owner", "viewer"] as const)
          assert.deepEqual(await filesIn(canvas.pages[role]), []);
      });
    }

    it("an upload that keeps its rights is stored, whatever else changes", async () => {
      const { canvas, upload } = await held("viewer", { group: "photos" });
      await share(target, canvas, "private", { viewer: "editor" });
      const made = uploadedOf(await upload.finish());
      assert.equal((await filesIn(canvas.pages.viewer))[0]?.id, made.id);
    });
  });
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { ErrorCode } from "@easel/protocol/errors";
import { add as addRecord } from "../collections/entry.ts";
import { cast, type Role, type Stage, stage, turn } from "../fixture.ts";
import { govern } from "../policy.ts";
import { disabled, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { hold } from "./held.ts";
import { filesIn } from "./record.ts";

type Fields = Record<string, string>;

/**
 * Ids of records. `own` is a record of the viewer, and `gone` is a deleted record. `board`, `managed` and `personal` are records of the
 * owner in the collections of the same names.
 */
type Ids = Record<"own" | "board" | "managed" | "personal" | "gone", string>;

/**
 * The role of the caller, the form fields of an upload, and the status and code with which it is refused. A `recordId` that is a key of
 * `Ids` stands for the id of that record.
 */
type Row = [who: Role, fields: Fields, status: number, code: ErrorCode];

const ROWS: Row[] = [
  // Fields that exclude each other are refused before the service looks up the group or the record.
  ["viewer", { group: "photos", collection: "board", recordId: "board" }, 400, "INVALID_BODY"],
  ["viewer", { group: "none", collection: "none", recordId: "none" }, 400, "INVALID_BODY"],
  ["viewer", { group: "staff", collection: "managed" }, 400, "INVALID_BODY"],
  ["viewer", { group: "photos", recordId: "board" }, 400, "INVALID_BODY"],
  ["viewer", { group: "photos", scope: "shared" }, 400, "INVALID_BODY"],
  ["viewer", { group: "none", scope: "submission" }, 400, "INVALID_BODY"],
  ["viewer", { collection: "board", recordId: "board", scope: "submission" }, 400, "INVALID_BODY"],
  ["viewer", { recordId: "board" }, 400, "INVALID_BODY"],
  ["viewer", { recordId: "board", scope: "shared" }, 400, "INVALID_BODY"],
  ["viewer", { collection: "board" }, 400, "INVALID_BODY"],
  ["viewer", { scope: "" }, 400, "INVALID_BODY"],
  ["viewer", { scope: "group:photos" }, 400, "INVALID_BODY"],
  ["viewer", { scope: "record:board" }, 400, "INVALID_BODY"],
  ["owner", { scope: "private" }, 400, "INVALID_BODY"],
  // The group has no policy, the record does not exist, or the caller cannot read the record.
  ["owner", { group: "none" }, 404, "NOT_FOUND"],
  ["owner", { group: "" }, 404, "NOT_FOUND"],
  ["owner", { group: "constructor" }, 404, "NOT_FOUND"],
  ["owner", { group: "board" }, 404, "NOT_FOUND"],
  ["owner", { group: "../photos" }, 404, "NOT_FOUND"],
  ["owner", { collection: "none", recordId: "board" }, 404, "NOT_FOUND"],
  ["owner", { collection: "photos", recordId: "board" }, 404, "NOT_FOUND"],
  ["owner", { collection: "constructor", recordId: "board" }, 404, "NOT_FOUND"],
  ["owner", { collection: "board", recordId: "r-1" }, 404, "NOT_FOUND"],
  ["owner", { collection: "board", recordId: "" }, 404, "NOT_FOUND"],
  ["owner", { collection: "board", recordId: "\0" }, 404, "NOT_FOUND"],
  ["owner", { collection: "board", recordId: "gone" }, 404, "NOT_FOUND"],
  ["owner", { collection: "board", recordId: "managed" }, 404, "NOT_FOUND"],
  ["viewer", { collection: "personal", recordId: "personal" }, 404, "NOT_FOUND"],
  ["owner", { collection: "personal", recordId: "own" }, 404, "NOT_FOUND"],
  // The caller lacks the right to upload there.
  ["viewer", {}, 403, "PERMISSION_DENIED"],
  ["viewer", { scope: "shared" }, 403, "PERMISSION_DENIED"],
  ["viewer", { group: "staff" }, 403, "PERMISSION_DENIED"],
  ["owner", { group: "shut" }, 403, "PERMISSION_DENIED"],
  ["viewer", { collection: "managed", recordId: "managed" }, 403, "PERMISSION_DENIED"],
];

/** Tests the refusals of uploads, in the order of the specification. The service refuses before it reads the file. */
export function refusals(target: Target): void {
  describe("refusals before the file is read", () => {
    let canvas: Stage;
    let ids: Ids;
    before(async () => {
      canvas = await stage(target);
      await govern(target, canvas, {
        fileGroups: {
          photos: { preset: "collaborative" },
          staff: { preset: "managed" },
          shut: { preset: "collaborative", overrides: { create: "none" } },
        },
        collections: {
          board: { preset: "collaborative" },
          managed: { preset: "managed" },
          personal: { preset: "personal" },
        },
      });
      const { owner, viewer } = canvas.pages;
      const idIn = async (page: typeof owner, name: string) => (await addRecord(page, name, 1)).id;
      ids = {
        own: await idIn(viewer, "personal"),
        board: await idIn(owner, "board"),
        managed: await idIn(owner, "managed"),
        personal: await idIn(owner, "personal"),
        gone: await idIn(owner, "board"),
      };
      await owner.delete(`/collections/board/${ids.gone}`);
    });
    const named = (fields: Fields): Fields => {
      const { recordId } = fields;
      return recordId === undefined
        ? fields
        : { ...fields, recordId: ids[recordId as keyof Ids] ?? recordId };
    };

    for (const [who, fields, status, code] of ROWS) {
      it(`${JSON.stringify(fields)} by the ${who}: ${status} ${code}`, async () => {
        const held = await hold(target, canvas, canvas.people[who], named(fields));
        refused(await held.refusal(), status, code);
      });
    }

    it("none of them has stored anything", async () => {
      for (const role of ["owner", "viewer"] as const)
        assert.deepEqual(await filesIn(canvas.pages[role]), []);
    });

    it("files are off: CAPABILITY_DISABLED, before the body", async () => {
      const dark = await stage(target, { people: canvas.people, switches: { files: false } });
      for (const fields of [{}, { group: "none" }, { group: "a", scope: "b" }, { recordId: "r-1" }]) {
        const held = await hold(target, dark, dark.people.viewer, fields);
        disabled(await held.refusal(), "files", "feature_off");
      }
    });

    it("attachments while KV is off: CAPABILITY_DISABLED, before everything that their fields name", async () => {
      const people = await cast(target);
      const dark = await stage(target, { people });
      await govern(target, dark, { collections: { managed: { preset: "managed" } } });
      const { id } = await addRecord(dark.pages.owner, "managed", 1);
      await turn(target, dark, { kv: false });
      for (const fields of [
        { collection: "managed", recordId: id },
        { collection: "managed", recordId: id, scope: "shared" },
        { collection: "none", recordId: "r-1" },
      ]) {
        const held = await hold(target, dark, people.owner, fields);
        disabled(await held.refusal(), "kv", "feature_off");
      }
    });
  });
}

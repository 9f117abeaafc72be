import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { ErrorCode } from "@easel/protocol/errors";
import { add as addRecord } from "../collections/entry.ts";
import { cast, type Role, type Stage, stage, turn } from "../fixture.ts";
import type { Header } from "../http.ts";
import { govern } from "../policy.ts";
import { disabled, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { FORM_TYPE, formOf, PLACES, type Place, upload } from "./form.ts";
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

/** Uploads whose fields alone name a target that the service refuses, whatever else follows. */
const NAMED: Row[] = [
  // Fields that exclude each other are refused before the service looks up the group or the record.
  ["viewer", { group: "photos", collection: "board", recordId: "board" }, 400, "INVALID_BODY"],
  ["viewer", { group: "none", collection: "none", recordId: "none" }, 400, "INVALID_BODY"],
  ["viewer", { group: "staff", collection: "managed" }, 400, "INVALID_BODY"],
  ["viewer", { group: "photos", recordId: "board" }, 400, "INVALID_BODY"],
  ["viewer", { group: "photos", scope: "shared" }, 400, "INVALID_BODY"],
  ["viewer", { group: "none", scope: "submission" }, 400, "INVALID_BODY"],
  ["viewer", { collection: "board", recordId: "board", scope: "submission" }, 400, "INVALID_BODY"],
  ["viewer", { recordId: "board", scope: "shared" }, 400, "INVALID_BODY"],
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
  ["viewer", { scope: "shared" }, 403, "PERMISSION_DENIED"],
  ["viewer", { group: "staff" }, 403, "PERMISSION_DENIED"],
  ["owner", { group: "shut" }, 403, "PERMISSION_DENIED"],
  ["viewer", { collection: "managed", recordId: "managed" }, 403, "PERMISSION_DENIED"],
];

/** Uploads whose fields name a target only with fields that may follow the file. */
const OPEN: Row[] = [
  ["viewer", {}, 403, "PERMISSION_DENIED"],
  ["viewer", { recordId: "board" }, 400, "INVALID_BODY"],
  ["viewer", { collection: "board" }, 400, "INVALID_BODY"],
];

/**
 * Returns the places of the file where the refusal is the same. Between fields that exclude each other, the refusal can be that of the
 * fields before the file.
 */
const placesOf = ({ scope, group }: Fields): readonly Place[] =>
  scope === undefined && group === undefined ? PLACES : ["last", "first"];

/**
 * Tests the refusals of uploads, in the order of the specification. If the fields before the file name a target, the service refuses before
 * it reads the file; wherever the file is, the refusal is the same.
 */
export function refusals(target: Target): void {
  describe("refusals of uploads", () => {
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

    for (const [who, fields, status, code] of NAMED) {
      it(`${JSON.stringify(fields)} by the ${who}: ${status} ${code} before the file is read`, async () => {
        const held = await hold(target, canvas, canvas.people[who], named(fields));
        refused(await held.refusal(), status, code);
      });
    }

    for (const [who, fields, status, code] of [...NAMED, ...OPEN]) {
      it(`${JSON.stringify(fields)} by the ${who}: ${status} ${code} wherever the file is`, async () => {
        for (const place of placesOf(fields))
          refused(await upload(canvas.pages[who], named(fields), {}, place), status, code);
      });
    }

    it("a field or the file given twice, or a field that does not exist: 400 wherever the file is", async () => {
      const { owner } = canvas.pages;
      const type: Header = ["Content-Type", FORM_TYPE];
      for (const place of PLACES) {
        for (const more of ["scope", "file", "Scope"]) {
          const form = formOf(
            [
              ["scope", "shared"],
              [more, "shared"],
            ],
            {},
            place,
          );
          refused(await owner.send("POST", "/files", [type], form), 400, "INVALID_BODY");
        }
      }
    });

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
        for (const place of PLACES)
          disabled(await upload(dark.pages.owner, fields, {}, place), "kv", "feature_off");
      }
    });
  });
}

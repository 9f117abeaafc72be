import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { add as addRecord } from "../collections/entry.ts";
import { type Role, type Stage, stage } from "../fixture.ts";
import { govern } from "../policy.ts";
import type { Target } from "../target.ts";
import { PLACES } from "./form.ts";
import { add, contentOf, recordOf } from "./record.ts";

const FILE = { name: "tea.txt", type: "text/plain", bytes: "content" };

/** Rows: the role that uploads, the fields of the form, and the scope of the stored file. `recordId` stands for the id of a record. */
const ROWS: [who: Role, fields: Record<string, string>, scope: string][] = [
  ["owner", {}, "shared"],
  ["owner", { scope: "shared" }, "shared"],
  ["viewer", { scope: "submission" }, "submission"],
  ["viewer", { group: "photos" }, "group:photos"],
  ["viewer", { collection: "board", recordId: "" }, "record:board"],
  ["viewer", { recordId: "", collection: "board" }, "record:board"],
];

/** Tests that the parts of an upload can have any order: the fields say where the file goes, wherever it is among them. */
export function orders(target: Target): void {
  describe("the order of the parts", () => {
    let canvas: Stage;
    let recordId: string;
    before(async () => {
      canvas = await stage(target);
      await govern(target, canvas, {
        fileGroups: { photos: { preset: "collaborative" } },
        collections: { board: { preset: "collaborative" } },
      });
      ({ id: recordId } = await addRecord(canvas.pages.owner, "board", 1));
    });

    for (const [who, fields, scope] of ROWS) {
      for (const place of PLACES) {
        it(`${JSON.stringify(fields)} by the ${who}, the file ${place}: stored in ${scope}`, async () => {
          const page = canvas.pages[who];
          const named = "recordId" in fields ? { ...fields, recordId } : fields;
          const made = await add(page, named, FILE, place);
          const record = await recordOf(page, made.id);
          assert.deepEqual(
            [record.scope, record.recordId, record.name, record.mime, record.size],
            [scope, "recordId" in fields ? recordId : null, "tea.txt", "text/plain", 7],
          );
          assert.equal((await page.get(contentOf(made))).text, "content");
        });
      }
    }
  });
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Stage, stage } from "../fixture.ts";
import { JSON_TYPE, type Page } from "../page.ts";
import { govern } from "../policy.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { add, contentOf, type FileRecord, pathOf, recordOf } from "./record.ts";

/** Each row has the name in a rename request and the name that the service must then store. */
const NAMES: [given: string, name: string][] = [
  ["b", "b"],
  ["  two words.txt\t\n", "two words.txt"],
  ["n".repeat(255), "n".repeat(255)],
  [` ${"n".repeat(255)} `, "n".repeat(255)],
  ["😀".repeat(127), "😀".repeat(127)],
  ["Zoë 👩‍🚀.png", "Zoë 👩‍🚀.png"],
  ['a"b; c=d.txt', 'a"b; c=d.txt'],
  // A name is cleaned as that of an upload.
  ["a\u202egnp.exe", "agnp.exe"],
  ["a\0b\nc", "abc"],
  ["../24/7.txt", "7.txt"],
  ["C:\\fakepath\\photo.png", "photo.png"],
];

/** Bodies of a rename that have no valid name. */
const BAD: (string | Buffer)[] = [
  "",
  "{",
  "null",
  '"name"',
  "[]",
  "{}",
  '{"Name":"a"}',
  ...[null, 1, true, [], ["a"], {}, "", " ", "\t\n", "n".repeat(256), "..", "a/", "\u202e"].map((name) =>
    JSON.stringify({ name }),
  ),
  Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
];

const rename = (page: Page, file: { id: string }, body: string | Buffer) =>
  page.send("PATCH", pathOf(file), [JSON_TYPE], body);

/** Tests `PATCH /files/{id}`, which renames a file. */
export function renames(target: Target): void {
  describe("renames", () => {
    let canvas: Stage;
    let owner: Page;
    let file: FileRecord;
    before(async () => {
      canvas = await stage(target);
      ({ owner } = canvas.pages);
      file = await recordOf(owner, (await add(owner, {}, { name: "a.txt", type: "text/plain" })).id);
    });

    for (const [given, name] of NAMES) {
      it(`${JSON.stringify(given).slice(0, 40)}: the file record, with this name alone changed`, async () => {
        answered(await rename(owner, file, JSON.stringify({ name: given })), { ...file, name });
        assert.deepEqual(await recordOf(owner, file.id), { ...file, name });
        assert.equal((await owner.get(contentOf(file))).text, "content");
      });
    }

    for (const body of BAD) {
      it(`${body.toString().slice(0, 40)}: 400 INVALID_BODY, and the name stays`, async () => {
        const before = await recordOf(owner, file.id);
        refused(await rename(owner, file, body), 400, "INVALID_BODY");
        assert.deepEqual(await recordOf(owner, file.id), before);
      });
    }

    it("other fields change nothing", async () => {
      const others = {
        id: "x",
        size: 0,
        mime: "text/html",
        scope: "submission",
        uploadedBy: "x",
        recordId: "x",
      };
      answered(await rename(owner, file, JSON.stringify({ name: "c.txt", ...others })), {
        ...file,
        name: "c.txt",
      });
      assert.deepEqual(await recordOf(owner, file.id), { ...file, name: "c.txt" });
    });

    it("404 before 403 before 400", async () => {
      const { viewer } = canvas.pages;
      const hidden = await add(owner, { scope: "submission" });
      for (const body of ['{"name":"taken"}', "{}", "{"]) {
        refused(await rename(viewer, hidden, body), 404, "NOT_FOUND");
        refused(await rename(viewer, { id: "f-1" }, body), 404, "NOT_FOUND");
        refused(await rename(viewer, file, body), 403, "PERMISSION_DENIED");
      }
    });

    it("a right to update does not replace the right to read", async () => {
      await govern(target, canvas, { fileGroups: { photos: { preset: "collaborative" } } });
      const { viewer } = canvas.pages;
      const made = await add(viewer, { group: "photos" });
      const overrides = { read: "editors" } as const;
      await govern(target, canvas, { fileGroups: { photos: { preset: "collaborative", overrides } } });
      refused(await rename(viewer, made, '{"name":"b"}'), 404, "NOT_FOUND");
      refused(await viewer.delete(pathOf(made)), 404, "NOT_FOUND");
      assert.equal((await rename(owner, made, '{"name":"b"}')).status, 200);
    });
  });
}

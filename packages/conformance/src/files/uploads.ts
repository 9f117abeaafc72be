import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Stage, stage } from "../fixture.ts";
import type { Header } from "../http.ts";
import { JSON_TYPE } from "../page.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { type File, FORM_TYPE, formOf, upload } from "./form.ts";
import { add, contentOf, filesIn, recordOf } from "./record.ts";

const TYPE = "application/octet-stream";
const LONG = `${"n".repeat(251)}.txt`;

/** Files that a form uploads, each with the name and media type that the service stores. */
const STORED: [title: string, file: File, name: string, mime: string][] = [
  ["neither name nor type", {}, "upload", TYPE],
  ["an empty name", { name: "" }, "upload", TYPE],
  ["a name alone", { name: "a.txt" }, "a.txt", TYPE],
  ["a type alone", { type: "text/plain" }, "upload", "text/plain"],
  [
    "a text with a charset",
    { type: "text/plain; charset=iso-8859-1" },
    "upload",
    "text/plain; charset=iso-8859-1",
  ],
  ["a path", { name: "C:\\fakepath\\photo.png" }, "photo.png", TYPE],
  ["hidden characters", { name: "a\u202egnp.exe" }, "agnp.exe", TYPE],
  ["an empty type", { name: "a", type: "" }, "a", TYPE],
  ["a malformed type", { name: "a", type: "no type" }, "a", TYPE],
  ["a name in any script", { name: "Zoë 👩‍🚀 é.png", type: "image/png" }, "Zoë 👩‍🚀 é.png", "image/png"],
  ["a name of 255 characters", { name: LONG }, LONG, TYPE],
  ["no bytes", { name: "empty", bytes: "" }, "empty", TYPE],
];

/** Requests that are not valid uploads: each row has a title, the headers and the body. */
const BAD: [title: string, headers: Header[], body: string | Buffer][] = [
  ["no body", [], ""],
  ["no body, with the type of a form", [["Content-Type", FORM_TYPE]], ""],
  ["JSON", [JSON_TYPE], '{"file":"content"}'],
  ["the bytes themselves", [["Content-Type", "image/png"]], "content"],
  ["a form without a boundary", [["Content-Type", "multipart/form-data"]], formOf({})],
  ["another multipart type", [["Content-Type", FORM_TYPE.replace("form-data", "mixed")]], formOf({})],
  ["a form of a page", [["Content-Type", "application/x-www-form-urlencoded"]], "file=content"],
  ["a form without the part `file`", [["Content-Type", FORM_TYPE]], formOf({ scope: "shared" }, null)],
  ["a form that ends within its file", [["Content-Type", FORM_TYPE]], formOf({}).subarray(0, -40)],
];

/** Tests what an upload stores, and that invalid uploads are refused. */
export function uploads(target: Target): void {
  describe("uploads", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await stage(target);
    });

    for (const [title, file, name, mime] of STORED) {
      it(`${title}: ${name.slice(0, 40)}, ${mime}`, async () => {
        const { owner } = canvas.pages;
        const made = await add(owner, {}, file);
        assert.equal(made.name, name);
        const { bytes = "content" } = file;
        assert.equal(made.size, bytes.length);
        const record = await recordOf(owner, made.id);
        assert.deepEqual([record.name, record.mime, record.size], [name, mime, bytes.length]);
        assert.equal((await owner.get(contentOf(made))).text, bytes);
      });
    }

    it("the same file twice is two files; deleting one leaves the bytes of the other", async () => {
      const { owner } = canvas.pages;
      const file = { name: "twin", bytes: "the same bytes" };
      const [one, other] = [await add(owner, {}, file), await add(owner, {}, file)];
      assert.notEqual(one.id, other.id);
      await owner.delete(`/files/${one.id}`);
      assert.equal((await owner.get(contentOf(other))).text, "the same bytes");
    });

    it("the bytes come back as they were, whatever they are", async () => {
      const { owner } = canvas.pages;
      const boundary = FORM_TYPE.split("=")[1];
      const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      const many = Buffer.alloc(1024 * 1024 + 1, all);
      for (const bytes of [
        all,
        many,
        Buffer.from(`x--${boundary}--\r\n-${boundary}\r\n--\n--${boundary}--\r\n\r\n`),
      ]) {
        const made = await add(owner, {}, { bytes });
        assert.equal(made.size, bytes.length);
        const answer = await owner.get(contentOf(made));
        assert.ok(bytes.equals(answer.bytes), `${answer.bytes.length} of ${bytes.length} bytes`);
      }
    });

    it("a file may be chunked, without the length of the body", async () => {
      const { owner } = canvas.pages;
      const headers: Header[] = [
        ["Content-Type", FORM_TYPE],
        ["Transfer-Encoding", "chunked"],
      ];
      const answer = await owner.send("POST", "/files", headers, formOf({ scope: "submission" }));
      assert.equal(answer.status, 201, answer.text);
    });

    for (const [title, headers, body] of BAD) {
      it(`${title}: 400 INVALID_BODY, and nothing is stored`, async () => {
        const { owner } = canvas.pages;
        const files = await filesIn(owner);
        refused(await owner.send("POST", "/files", headers, body), 400, "INVALID_BODY");
        assert.deepEqual(await filesIn(owner), files);
      });
    }

    it("form fields cannot set the uploader, the time, the name or the type", async () => {
      const { owner } = canvas.pages;
      const files = await filesIn(owner);
      for (const name of ["uploadedBy", "userId", "id", "createdAt", "name", "mime", "Scope"])
        refused(await upload(owner, { [name]: "1" }), 400, "INVALID_BODY");
      assert.deepEqual(await filesIn(owner), files);
    });
  });
}

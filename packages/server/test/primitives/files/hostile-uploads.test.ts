import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { ABSENT, samples } from "@easel/conformance/corpus";
import { FORM_TYPE, formOf, PLACES, upload } from "@easel/conformance/files/form";
import { type Stage, stage } from "@easel/conformance/fixture";
import type { Answer } from "@easel/conformance/http";
import type { Page } from "@easel/conformance/page";
import { parallel } from "@easel/conformance/parallel";
import { refused } from "@easel/conformance/refusal";
import { parse } from "content-disposition";
import { storedName } from "../../../src/primitives/files/receive-upload.ts";
import { onSqlite } from "../../support/engines.ts";
import { stored } from "./stored.ts";

const POLICY = "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; sandbox";
const LONG = "x".repeat(7_000);

/** Uploads a form with one file, whose part has this `Content-Disposition`. */
const sendAs = (page: Page, disposition: string): Promise<Answer> =>
  page.send(
    "POST",
    "/files",
    [["Content-Type", "multipart/form-data; boundary=b"]],
    `--b\r\nContent-Disposition: ${disposition}\r\n\r\nx\r\n--b--\r\n`,
  );

/** Escapes a file name as browsers do in forms. */
const escaped = (name: string) => name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

/** Asserts that a file is sent with this name, in a `Content-Disposition` that every client can read. */
async function sentAs(page: Page, id: unknown, name: string): Promise<void> {
  const { status, headers } = await page.get(`/files/${id}/content`);
  assert.equal(status, 200);
  const disposition = String(headers["content-disposition"]);
  assert.match(disposition, /^attachment; filename=[ -~]+; filename\*=UTF-8''[!-~]+$/);
  assert.equal(parse(disposition).parameters.filename, name);
}

/** Test cases for `Content-Disposition` from other implementations. */
interface Corpus {
  parse: { what: string; header: string }[];
  create: { filename: string }[];
}

const corpus =
  samples("content-disposition")?.map(({ bytes }) => JSON.parse(String(bytes)) as Corpus) ?? null;

await onSqlite("hostile uploads", (target, env) => {
  let canvas: Stage;
  let page: Page;
  before(async () => {
    canvas = await stage(target, { switches: { files: true, kv: true } });
    page = canvas.pages.owner;
  });

  const NAMES = [
    'a "quoted" name.txt',
    "a'b;c=d,e%41.txt",
    "a\r\nSet-Cookie: b=c",
    "../../etc/passwd",
    "..\\..\\boot.ini",
    "......",
    "   ",
    "photo\u202egnp.exe",
    "日本🦊.png",
    "é.txt",
    "CON",
    LONG,
    `${LONG}.png`,
    `${"🦊".repeat(1_750)}.png`,
  ];
  for (const name of NAMES) {
    it(`a file named ${JSON.stringify(name.slice(0, 30))}, of ${name.length} characters: stored and sent under a safe name`, async () => {
      const answer = await sendAs(page, `form-data; name="file"; filename="${escaped(name)}"`);
      assert.equal(answer.status, 201, answer.text);
      const expected = storedName(name);
      assert.equal(answer.json.name, expected);
      await sentAs(page, answer.json.id, expected);
    });
  }

  it("a name with NUL or a bare line break in its header: 400, and nothing is stored", async () => {
    const previous = await stored(env);
    for (const character of ["\0", "\r", "\n"])
      refused(await sendAs(page, `form-data; name="file"; filename="a${character}b"`), 400, "INVALID_BODY");
    assert.deepEqual(await stored(env), previous);
  });

  it("a rename and an upload store the same name, and refuse the same names", async () => {
    const { json } = await upload(page, {}, { name: "a.txt" });
    for (const name of [
      ...NAMES.filter((each) => each.length <= 255),
      "24/7.txt",
      "a\u2028b",
      "\u200ea.txt",
    ]) {
      const renamed = await page.send(
        "PATCH",
        `/files/${json.id}`,
        [["Content-Type", "application/json"]],
        JSON.stringify({ name }),
      );
      const uploaded = storedName(name);
      // A name of which nothing is left is none: an upload takes the default, and a rename needs one.
      if (uploaded === "upload") refused(renamed, 400, "INVALID_BODY");
      else {
        assert.equal(renamed.json.name, uploaded);
        await sentAs(page, json.id, uploaded);
      }
    }
  });

  it("a name with slashes, as renames stored it once, is sent without them", async () => {
    const { json } = await upload(page, {}, { name: "a.txt" });
    await env.db.run`update files set name = ${"../a\\b.txt"} where id = ${String(json.id)}`;
    await sentAs(page, json.id, ".._a_b.txt");
  });

  describe("the corpus of Content-Disposition", { skip: corpus === null && ABSENT }, () => {
    const { parse: headers, create } = corpus?.[0] ?? { parse: [], create: [] };

    it("is not empty", () => assert.ok(headers.length > 100 && create.length > 30));

    it("every header as it is: 400, because none is that of a file in a form", async () => {
      const previous = await stored(env);
      await parallel(
        headers,
        async ({ header }) => refused(await sendAs(page, header), 400, "INVALID_BODY"),
        8,
      );
      assert.deepEqual(await stored(env), previous);
    });

    it("every header with its parameters behind those of a file: 201 with a safe name, or 400", async () => {
      let accepted = 0;
      await parallel(
        headers,
        async ({ header, what }) => {
          const answer = await sendAs(page, `form-data; name="file"; ${header.replace(/^[^;]*;/, "")}`);
          if (answer.status !== 201) return refused(answer, 400, "INVALID_BODY");
          accepted++;
          const name = String(answer.json.name);
          assert.equal(storedName(name), name, what);
          await sentAs(page, answer.json.id, name);
        },
        8,
      );
      assert.ok(accepted > 50, `${accepted}`);
    });

    it("every file name, as browsers send it", async () => {
      await parallel(
        create.filter(({ filename }) => typeof filename === "string"),
        async ({ filename }) => {
          const answer = await sendAs(page, `form-data; name="file"; filename="${escaped(filename)}"`);
          if (filename.includes("\0")) return refused(answer, 400, "INVALID_BODY");
          assert.equal(answer.status, 201, filename);
          assert.equal(
            answer.json.name,
            storedName(filename.replace(/%22/g, '"').replace(/%0d/gi, "\r").replace(/%0a/gi, "\n")),
          );
          await sentAs(page, answer.json.id, String(answer.json.name));
        },
        8,
      );
    });
  });

  const TYPES: [given: string | undefined, mime: string, disposition: "inline" | "attachment"][] = [
    [undefined, "application/octet-stream", "attachment"],
    ["nonsense", "application/octet-stream", "attachment"],
    ["image/png, text/html", "application/octet-stream", "attachment"],
    [`image/${LONG}`, "application/octet-stream", "attachment"],
    ["IMAGE/PNG; charset=utf-7", "image/png", "inline"],
    ["image/png", "image/png", "inline"],
    ["image/svg+xml", "image/svg+xml", "attachment"],
    ["Text/HTML;charset=utf-8", "text/html; charset=utf-8", "attachment"],
    ["text/html;charset=iso-2022-jp", "text/html; charset=iso-2022-jp", "attachment"],
    ["image/svg+xml;charset=utf-7", "image/svg+xml", "attachment"],
    ["multipart/form-data; boundary=b", "multipart/form-data", "attachment"],
  ];
  for (const [type, mime, disposition] of TYPES) {
    it(`a file of HTML as ${type?.slice(0, 40)}: ${disposition} as ${mime}, sandboxed`, async () => {
      const bytes = "<!doctype html><script>document.title = 'ran'</script>";
      const { status, json } = await upload(page, {}, { name: "a.png", type, bytes });
      assert.equal(status, 201);
      const { headers, text } = await page.get(`/files/${json.id}/content`);
      assert.equal(text, bytes);
      assert.deepEqual(
        {
          type: headers["content-type"],
          disposition: headers["content-disposition"]?.split(";")[0],
          nosniff: headers["x-content-type-options"],
          policy: headers["content-security-policy"],
          cache: headers["cache-control"],
        },
        { type: mime, disposition, nosniff: "nosniff", policy: POLICY, cache: "private, no-store" },
      );
    });
  }

  const FORMS: [what: string, type: string, body: Buffer | string][] = [
    ["no body", FORM_TYPE, ""],
    ["no form", "application/octet-stream", "x"],
    ["a boundary of 1,000 characters", `multipart/form-data; boundary=${LONG.slice(0, 1000)}`, "x"],
    [
      "a header of 1 MiB",
      "multipart/form-data; boundary=b",
      `--b\r\nX: ${"x".repeat(1024 * 1024)}\r\n\r\n\r\n--b--`,
    ],
    ["no end", FORM_TYPE, formOf({}).subarray(0, -20)],
    ...PLACES.flatMap((place): [string, string, Buffer][] => [
      [`an unknown field, the file ${place}`, FORM_TYPE, formOf({ __proto__x: "1" }, {}, place)],
      [`a field that is too long, the file ${place}`, FORM_TYPE, formOf({ scope: LONG }, {}, place)],
      [`NUL in a field, the file ${place}`, FORM_TYPE, formOf({ scope: "shared\0" }, {}, place)],
      [
        `fields that exclude each other, the file ${place}`,
        FORM_TYPE,
        formOf({ scope: "shared", group: "a" }, {}, place),
      ],
    ]),
  ];
  for (const [what, type, body] of FORMS) {
    it(`${what}: 400, and nothing is stored`, async () => {
      const previous = await stored(env);
      refused(await page.send("POST", "/files", [["Content-Type", type]], body), 400, "INVALID_BODY");
      assert.deepEqual(await stored(env), previous);
    });
  }

  for (const fields of [{ group: "\0" }, { group: "__proto__" }, { collection: "\0", recordId: "\0" }]) {
    it(`${JSON.stringify(fields)}: 404, and nothing is stored`, async () => {
      const previous = await stored(env);
      for (const place of PLACES)
        refused(await upload(page, fields as Record<string, string>, {}, place), 404, "NOT_FOUND");
      assert.deepEqual(await stored(env), previous);
    });
  }
});

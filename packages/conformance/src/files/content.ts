import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Stage, stage } from "../fixture.ts";
import type { Page } from "../page.ts";
import { unshared } from "../refusal.ts";
import type { Target } from "../target.ts";
import { add, contentOf } from "./record.ts";

const CSP = "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; sandbox";

/**
 * Media types of uploads, each with the media type of the download and whether browsers display the file (`inline`) or save it
 * (`attachment`).
 */
const TYPES: [given: string | undefined, type: string, disposition: "inline" | "attachment"][] = [
  ["image/png", "image/png", "inline"],
  ["image/jpeg", "image/jpeg", "inline"],
  ["image/gif", "image/gif", "inline"],
  ["image/webp", "image/webp", "inline"],
  ["image/avif", "image/avif", "inline"],
  ["IMAGE/PNG", "image/png", "inline"],
  ["image/png; charset=utf-8", "image/png", "inline"],
  ["image/svg+xml", "image/svg+xml", "attachment"],
  ["image/jpg", "image/jpg", "attachment"],
  ["image/x-icon", "image/x-icon", "attachment"],
  ["image/bmp", "image/bmp", "attachment"],
  ["image/*", "image/*", "attachment"],
  ["text/html", "text/html", "attachment"],
  ["text/html; charset=utf-8", "text/html; charset=utf-8", "attachment"],
  ["application/xhtml+xml", "application/xhtml+xml", "attachment"],
  ["text/xml", "text/xml", "attachment"],
  ["text/plain", "text/plain", "attachment"],
  ["text/plain; charset=ISO-8859-1", "text/plain; charset=iso-8859-1", "attachment"],
  ['text/plain; format=flowed; charset="utf-8"', "text/plain; charset=utf-8", "attachment"],
  ['text/plain; charset="a\\"; b"', "text/plain", "attachment"],
  ["text/javascript", "text/javascript", "attachment"],
  ["application/json", "application/json", "attachment"],
  ["application/json; charset=utf-16", "application/json", "attachment"],
  ["application/pdf", "application/pdf", "attachment"],
  ["video/mp4", "video/mp4", "attachment"],
  ["audio/mpeg", "audio/mpeg", "attachment"],
  ["multipart/form-data; boundary=x", "multipart/form-data", "attachment"],
  ["image/png, text/html", "application/octet-stream", "attachment"],
  ["image/png\ttext/html", "application/octet-stream", "attachment"],
  ["no type", "application/octet-stream", "attachment"],
  [undefined, "application/octet-stream", "attachment"],
];

/** File names, each with a pattern for the ASCII `filename` in the Content-Disposition of the download. */
const NAMES: [name: string, filename: RegExp][] = [
  ["a.png", /^"?a\.png"?$/],
  ["two words.png", /^"two words\.png"$/],
  ["a;b=c,d.png", /^"a;b=c,d\.png"$/],
  ['a"b.png', /^"a\\"b\.png"$/],
  ["a%41.png", /^"?a%41\.png"?$/],
  ["Zoë.png", /^"/],
  ["smile 😀.png", /^"/],
  ["naïve; filename=b.html.png", /^"/],
];

/** Tests downloads of files: the bytes and the headers of the response. */
export function content(target: Target): void {
  describe("content", () => {
    let canvas: Stage;
    let page: Page;
    before(async () => {
      canvas = await stage(target);
      page = canvas.pages.owner;
    });

    for (const [given, type, disposition] of TYPES) {
      it(`${given ?? "no type"}: ${type}, ${disposition}`, async () => {
        // These bytes begin like a GIF and contain an HTML script.
        const bytes = "GIF89a/*<script>alert(1)</script>*/";
        const made = await add(page, {}, { name: "a", type: given, bytes });
        const answer = await canvas.pages.viewer.get(contentOf(made));
        assert.deepEqual([answer.status, answer.text], [200, bytes]);
        const { headers } = answer;
        unshared(answer);
        assert.equal(headers["content-type"], type);
        assert.equal(headers["content-length"], String(bytes.length));
        assert.equal(headers["x-content-type-options"], "nosniff");
        assert.equal(headers["content-security-policy"], CSP);
        assert.match(headers["content-disposition"] ?? "", new RegExp(`^${disposition}; filename=`));
        assert.equal(headers["content-encoding"], undefined);
      });
    }

    for (const [name, filename] of NAMES) {
      it(`the name ${name}: in ASCII as \`filename\`, and whole as \`filename*\``, async () => {
        const made = await add(page, {}, { name, type: "image/png" });
        const header = (await page.get(contentOf(made))).headers["content-disposition"] ?? "";
        const [, plain = "", encoded = ""] =
          /^inline; filename=(.*); filename\*=UTF-8''([^";]*)$/.exec(header) ?? [];
        assert.match(plain, filename, header);
        assert.match(header, /^[\x20-\x7e]*$/);
        assert.equal(decodeURIComponent(encoded), name, header);
      });
    }

    it("HEAD: the same headers, without the bytes", async () => {
      const made = await add(page, {}, { name: "a.txt", type: "text/plain", bytes: "0123456789" });
      const [got, head] = [await page.get(contentOf(made)), await page.send("HEAD", contentOf(made))];
      assert.deepEqual([head.status, head.text], [200, ""]);
      assert.equal(head.headers["content-length"], "10");
      for (const name of [
        "content-type",
        "content-disposition",
        "content-security-policy",
        "x-content-type-options",
        "cache-control",
        "etag",
        "accept-ranges",
      ])
        assert.equal(head.headers[name], got.headers[name], name);
      assert.equal((await page.send("HEAD", "/files/f-1/content")).status, 404);
    });

    it("an empty file: 200, and no bytes", async () => {
      const made = await add(page, {}, { bytes: "" });
      const answer = await page.get(contentOf(made));
      assert.deepEqual([answer.status, answer.text, answer.headers["content-length"]], [200, "", "0"]);
    });

    it("the URL in the response to an upload downloads the file", async () => {
      const made = await add(page, {}, { bytes: "by its URL" });
      assert.equal((await page.get(made.url.replace(`/v1/c/${canvas.slug}`, ""))).text, "by its URL");
    });
  });
}

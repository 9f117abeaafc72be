import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Browser, NAVIGATES } from "../browser.ts";
import { type Stage, stage } from "../fixture.ts";
import type { Answer, Header } from "../http.ts";
import { publish } from "../lifecycle.ts";
import { pageUrl } from "../page.ts";
import type { Target } from "../target.ts";

const LONG = "Said again and again. ".repeat(500);

const FILES = {
  "index.html": "<title>home</title>",
  "404.html": "<title>lost</title>",
  "guide/index.html": "<title>guide</title>",
  "guide/a b/ü.txt": "umlaut",
  "long.txt": LONG,
  "ten.bin": "0123456789",
  "app.js": "1",
  "style.css": "a{}",
  "data.json": "{}",
  "drawing.svg": "<svg/>",
  "code.wasm": "\0asm",
};

/** Paths below the URL of a canvas, each with the status and text of the response. */
const SERVED: [path: string, status: number, text: string][] = [
  ["", 200, FILES["index.html"]],
  ["?a=1", 200, FILES["index.html"]],
  ["index.html", 200, FILES["index.html"]],
  ["guide/", 200, FILES["guide/index.html"]],
  ["guide/a%20b/%C3%BC.txt", 200, "umlaut"],
  ["none.html", 404, FILES["404.html"]],
  ["guide/none/", 404, FILES["404.html"]],
  ["guide/a%20b/", 404, FILES["404.html"]],
];

const TYPES: [path: string, type: RegExp][] = [
  ["", /^text\/html; charset=utf-8$/],
  ["none.html", /^text\/html; charset=utf-8$/],
  ["app.js", /^text\/javascript; charset=utf-8$/],
  ["style.css", /^text\/css; charset=utf-8$/],
  ["data.json", /^application\/json\b/],
  ["drawing.svg", /^image\/svg\+xml\b/],
  ["code.wasm", /^application\/wasm$/],
  ["ten.bin", /^application\/octet-stream$/],
];

const RANGES: [range: string, status: number, text: string | null, contentRange: string][] = [
  ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
  ["bytes=8-", 206, "89", "bytes 8-9/10"],
  ["bytes=-3", 206, "789", "bytes 7-9/10"],
  ["bytes=10-", 416, null, "bytes */10"],
];

const ENCODINGS: [accepted: string, encoding: string | undefined, decode: (bytes: Buffer) => Buffer][] = [
  ["br, gzip", "br", (bytes) => brotliDecompressSync(bytes)],
  ["gzip", "gzip", (bytes) => gunzipSync(bytes)],
  ["identity", undefined, (bytes) => bytes],
];

/** Tests the files that the service returns to a viewer's browser below the URL of a canvas. */
export function content(target: Target): void {
  describe("content", () => {
    let site: Stage;
    let browser: Browser;
    before(async () => {
      site = await stage(target);
      await publish(target, site, FILES);
      browser = new Browser(target, site.people.viewer);
      assert.equal((await browser.canvas(site.slug)).status, 200);
    });
    const get = (path: string, headers: Header[] = [], method = "GET"): Promise<Answer> =>
      browser.send(method, new URL(path, pageUrl(target, site.slug)), headers);

    for (const [path, status, text] of SERVED) {
      it(`/${path}: ${status}`, async () => {
        for (const headers of [[], [NAVIGATES]]) {
          const answer = await get(path, headers);
          assert.deepEqual([answer.status, answer.text], [status, text]);
        }
      });
    }

    it("a folder without its slash redirects to it", async () => {
      const { status, headers } = await get("guide?a=1");
      assert.ok([301, 302, 307, 308].includes(status), String(status));
      const from = new URL("guide", pageUrl(target, site.slug));
      assert.equal(new URL(headers.location ?? "", from).pathname, `${from.pathname}/`);
    });

    it("`/c/{slug}` redirects to the URL of the canvas", async () => {
      const { status, headers } = await browser.send("GET", new URL(`/c/${site.slug}`, target.base), [
        NAVIGATES,
      ]);
      assert.ok([301, 302, 307, 308].includes(status), String(status));
      assert.equal(new URL(headers.location ?? "", target.base).href, pageUrl(target, site.slug));
    });

    it("every file has its type and nosniff", async () => {
      for (const [path, type] of TYPES) {
        const { headers } = await get(path);
        assert.match(headers["content-type"] ?? "", type, path);
        assert.equal(headers["x-content-type-options"], "nosniff", path);
      }
    });

    for (const [range, status, text, contentRange] of RANGES) {
      it(`Range: ${range}: ${status}`, async () => {
        const answer = await get("ten.bin", [["Range", range]]);
        assert.deepEqual([answer.status, answer.headers["content-range"]], [status, contentRange]);
        if (text !== null) assert.equal(answer.text, text);
      });
    }

    for (const [accepted, encoding, decode] of ENCODINGS) {
      it(`Accept-Encoding: ${accepted}: ${encoding ?? "plain"}`, async () => {
        const { headers, bytes } = await get("long.txt", [["Accept-Encoding", accepted]]);
        assert.equal(headers["content-encoding"], encoding);
        assert.equal(decode(bytes).toString(), LONG);
        assert.match(headers.vary ?? "", /accept-encoding/i);
      });
    }

    it("HEAD has the headers of GET, without a body", async () => {
      const [whole, head] = [await get("ten.bin"), await get("ten.bin", [], "HEAD")];
      assert.deepEqual([head.status, head.text], [200, ""]);
      for (const name of ["content-type", "content-length", "etag"])
        assert.equal(head.headers[name], whole.headers[name], name);
    });

    it("an ETag is fresh until a deploy changes the file, and stays so for the others", async () => {
      const changing = await stage(target, { people: site.people });
      await publish(target, changing, { "index.html": "one", "same.txt": "same" });
      const visitor = new Browser(target, site.people.viewer);
      await visitor.canvas(changing.slug);
      const ask = (path: string, headers: Header[] = []) =>
        visitor.send("GET", new URL(path, pageUrl(target, changing.slug)), headers);
      const known = async (path: string): Promise<Header> => [
        "If-None-Match",
        String((await ask(path)).headers.etag),
      ];
      const [page, same] = [await known(""), await known("same.txt")];
      assert.deepEqual([(await ask("", [page])).status, (await ask("same.txt", [same])).status], [304, 304]);
      await publish(target, changing, { "index.html": "two", "same.txt": "same" });
      const fresh = await ask("", [page, NAVIGATES]);
      assert.deepEqual([fresh.status, fresh.text], [200, "two"]);
      assert.equal((await ask("same.txt", [same])).status, 304);
    });

    it("without 404.html: a plain page for browsers, JSON for programs", async () => {
      const bare = await stage(target, { people: site.people });
      await publish(target, bare, "home");
      const visitor = new Browser(target, site.people.viewer);
      await visitor.canvas(bare.slug);
      const url = new URL("none", pageUrl(target, bare.slug));
      const [page, program] = [await visitor.send("GET", url, [NAVIGATES]), await visitor.send("GET", url)];
      assert.equal(page.status, 404);
      assert.match(page.headers["content-type"] ?? "", /^text\/html\b/);
      assert.deepEqual([program.status, program.json.code], [404, "NOT_FOUND"]);
    });
  });
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import { type Content, contentOf } from "./content.ts";
import { BadOffer, type Offer } from "./offered.ts";

const offerOf = (files: Record<string, string>, name = "site"): Offer => ({
  kind: "files",
  name,
  files: Object.entries(files).map(([path, text]) => {
    const file = new Blob([text]);
    return { path, size: file.size, file };
  }),
  leftOut: [],
});

const pathsOf = ({ body }: Content) => (body.kind === "files" ? body.files.map(({ path }) => path) : []);

const refused = (offer: Offer, message: RegExp) =>
  assert.rejects(
    contentOf(offer, "path"),
    (error) => error instanceof BadOffer && message.test(error.message),
  );

test("the rules of the service apply: one root folder, litter, warnings", async () => {
  const content = await contentOf(
    offerOf({
      "dist/index.html": '<title>Poll &amp; co</title><a href="/b.js">',
      "dist/b.js": "",
      "dist/Thumbs.db": "",
    }),
    "path",
  );
  assert.deepEqual(pathsOf(content), ["index.html", "b.js"]);
  assert.deepEqual(content.leftOut, [
    { path: "dist/Thumbs.db", files: null, reason: "made by a file manager" },
  ]);
  assert.equal(content.pageTitle, "Poll & co");
  assert.match(content.warnings.join(), /refers to `\/b\.js`/);
});

test("addresses from the root are right where a canvas has a host of its own", async () => {
  const content = await contentOf(offerOf({ "index.html": '<a href="/b.js">', "b.js": "" }), "subdomain");
  assert.deepEqual(content.warnings, []);
});

test("a folder without a start page is told, and published nevertheless", async () => {
  const content = await contentOf(offerOf({ "a.txt": "", "b.txt": "" }), "path");
  assert.match(content.warnings.join(), /no `index\.html`/);
});

test("a single page becomes the start page; an image does not", async () => {
  assert.deepEqual(pathsOf(await contentOf(offerOf({ "report.html": "<h1>Hi" }), "path")), ["index.html"]);
  await refused(offerOf({ "page.html": "\u0089PNG\r\n" }), /page\.html is not an HTML page/);
});

test("nothing, too much, and names that no canvas may have are refused before anything is sent", async () => {
  await refused(offerOf({}), /no files/);
  await refused(
    { ...offerOf({}), leftOut: [{ path: ".git/", files: 3, reason: "hidden" }] } as Offer,
    /All files here/,
  );
  await refused(offerOf({ "a\\b.html": "<", "index.html": "<" }), /characters that a path cannot have/);
  await refused(offerOf({ "Index.html": "<", "index.html": "<" }), /the same file/);
  const large = offerOf({ "index.html": "<", "film.mp4": "" });
  if (large.kind === "files") Object.assign(large.files[1] ?? {}, { size: LIMITS.bundleUnpackedBytes.value });
  await refused(large, /a canvas may have 250 MB/);
});

test("a zip that is none, or too large, is refused before it is sent", async () => {
  const zip = (text: string, size = text.length): Offer => ({
    kind: "zip",
    name: "site",
    file: Object.defineProperty(new Blob([text]), "size", { value: size }),
  });
  assert.equal((await contentOf(zip("PK\u0003\u0004"), "path")).body.kind, "zip");
  await refused(zip("<html>"), /not a zip/);
  await refused(zip("PK", LIMITS.bundleBytes.value + 1), /a zip may have 50 MB/);
});

test("easel.json is read; one with faults is told and not applied", async () => {
  const good = await contentOf(
    offerOf({ "index.html": "<", "easel.json": '{"title":"T","spa":true}' }),
    "path",
  );
  assert.deepEqual(good.settings, { title: "T", spa: true });
  const bad = await contentOf(offerOf({ "index.html": "<", "easel.json": '{"titel":"T"}' }), "path");
  assert.equal(bad.settings, null);
  assert.match(bad.warnings.join(), /`easel\.json` is not applied: .*title/);
});

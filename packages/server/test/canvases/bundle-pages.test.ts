import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { before, it } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import { onSqlite } from "../support/engines.ts";
import { publish, upload, visit } from "../support/publish.ts";
import { forge, zip } from "../support/zip.ts";

const ROOT = /^`index.html` refers to `(.*)`, which (?:is|are) not below/;

await onSqlite("bundles of pages", (target, env) => {
  let site: Stage;
  before(async () => {
    site = await stage(target);
    await publish(target, site, { "index.html": "as it was" });
  });
  const deploy = (body: Buffer, type?: string) => upload(target, site.people.owner, site.id, body, type);
  const page = async (at = "") => (await visit(target, site.slug, site.people.viewer, at)).text;

  for (const [name, text] of [
    ["a document", "<!doctype html><title>A page</title>"],
    ["a document after a byte order mark and white space", "\ufeff\r\n\t <!DOCTYPE html><p>é"],
    ["a fragment", "<p>Hello"],
    ["a comment", "<!-- made by a tool --><html></html>"],
  ] as const) {
    for (const type of ["text/html", "text/html; charset=utf-8", "application/octet-stream"]) {
      it(`${name} as ${type} is deployed as index.html`, async () => {
        const answer = await deploy(Buffer.from(text), type);
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual([answer.json.leftOut, answer.json.warnings], [[], []]);
        assert.equal(await page(), text);
        assert.deepEqual(await readdir(path.join(env.config.dataDir, "uploads")), []);
      });
    }
  }

  for (const [name, bytes] of [
    ["words", Buffer.from("no page, only words")],
    ["nothing", Buffer.alloc(0)],
    ["white space", Buffer.from(" \n")],
    ["a page with a zero byte", Buffer.from("<p>a\0b")],
    ["a page in UTF-16", Buffer.from("\ufeff<p>", "utf16le")],
    ["a page that is a zip too", Buffer.concat([Buffer.from("<!-- "), forge([{ name: "index.html" }])])],
  ] as const) {
    it(`${name} as text/html: 400 INVALID_BODY, and the live version stays`, async () => {
      const [asItWas, versions] = [await page(), await env.db.all`select id, state from versions`];
      refused(await deploy(bytes, "text/html"), 400, "INVALID_BODY");
      assert.deepEqual([await page(), await env.db.all`select id, state from versions`], [asItWas, versions]);
      assert.deepEqual(await readdir(path.join(env.config.dataDir, "uploads")), []);
    });
  }

  it("the only page of a zip is served as index.html too, with a warning", async () => {
    const answer = await deploy(await zip({ "report.html": "the report", "a.css": "" }));
    assert.match((answer.json.warnings as unknown as string[]).join(), /^The bundle has no `index.html`, so/);
    assert.deepEqual([await page(), await page("report.html")], ["the report", "the report"]);
  });

  for (const [name, index, address] of [
    ["a script from the root", '<script type="module" src="/assets/app.js">', "/assets/app.js"],
    ["a style without quotes", "<link rel=stylesheet href=/app.css?1>", "/app.css"],
    ["an address in single quotes", "<img SRC = '/assets/gone.png'>", "/assets/gone.png"],
    [
      "two addresses, one of them twice",
      '<img src="/assets/app.js"><link href=/app.css><img src="/app.css">',
      "/assets/app.js`, `/app.css",
    ],
    ["relative addresses", '<script src="assets/app.js"></script><a href="./app.css">', null],
    ["another host", '<script src="//host/assets/app.js"></script>', null],
    ["the SDK and the home page", '<script src="/sdk/v1.js"></script><a href="/">', null],
    ["an address after 256 KiB", `${" ".repeat(256 * 1024)}<img src="/app.css">`, null],
  ] as const) {
    it(`${name}: ${address === null ? "no warning" : `a warning about ${address}`}`, async () => {
      const answer = await deploy(await zip({ "index.html": index, "assets/app.js": "", "app.css": "" }));
      const [warning, ...others] = answer.json.warnings as unknown as string[];
      assert.deepEqual([ROOT.exec(warning ?? "")?.[1] ?? null, others], [address, []]);
    });
  }

  it("a zip with names that differ only in case: 400 INVALID_BODY, and the live version stays", async () => {
    const asItWas = await page();
    refused(await deploy(forge([{ name: "index.html" }, { name: "INDEX.html" }])), 400, "INVALID_BODY");
    assert.equal(await page(), asItWas);
  });
});

await onSqlite(
  "bundles of pages on canvas hosts",
  (target) => {
    it("addresses from the root work on canvas hosts: no warning", async () => {
      const site = await stage(target);
      const bytes = await zip({
        "index.html": '<script src="/assets/app.js"></script>',
        "assets/app.js": "",
      });
      const { json } = await upload(target, site.people.owner, site.id, bytes);
      assert.deepEqual(json.warnings, []);
    });
  },
  { SERVICE_URL_MODE: "subdomain" },
);

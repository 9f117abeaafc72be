import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";

const FILES = {
  "index.html": "home",
  "a.txt": "a",
  "folder/index.html": "folder",
  "folder/deep/index.html": "deep",
  "folder/sp ace/index.html": "space",
  "bare/file.txt": "bare",
  "both/index.html": "inside",
  "grün.html": "grün",
  "per%cent.html": "percent",
  "q?.html": "question",
};

const SERVED: [path: string, content: string][] = [
  ["", "home"],
  ["index.html", "home"],
  ["?query=1", "home"],
  ["folder/", "folder"],
  ["folder/index.html", "folder"],
  ["folder/deep/", "deep"],
  ["folder/sp%20ace/", "space"],
  ["gr%C3%BCn.html", "grün"],
  ["per%25cent.html", "percent"],
  ["q%3F.html", "question"],
  ["%61.txt", "a"],
  ["folder%2Findex.html", "folder"],
];

const { target } = await startDev({ after });

describe("what is served", () => {
  let site: Stage;
  before(async () => {
    site = await stage(target);
    await publish(target, site, FILES);
  });
  const get = (path: string, headers: [string, string][] = [], method = "GET") =>
    visit(target, site.slug, site.people.viewer, path, headers, method);

  for (const [path, content] of SERVED) {
    it(`${path || "nothing"}: ${content}`, async () => {
      const { status, text } = await get(path);
      assert.deepEqual({ status, text }, { status: 200, text: content });
    });
  }

  const folders: [from: string, to: string][] = [
    ["folder", "folder/"],
    ["folder/deep", "folder/deep/"],
    ["folder/sp%20ace", "folder/sp%20ace/"],
    ["folder?query=1", "folder/?query=1"],
  ];
  for (const [from, to] of folders) {
    it(`${from} redirects to the slash, by a relative URL`, async () => {
      const { status, headers } = await get(from);
      assert.equal(status, 308);
      const location = String(headers.location);
      assert.match(location, /^\.\//);
      assert.equal(new URL(location, `https://a/b/c/${from}`).href, `https://a/b/c/${to}`);
    });
  }

  it("/c/{slug} redirects to /c/{slug}/ and keeps the query", async () => {
    for (const query of ["", "?a=1&b=%2F"]) {
      const { status, headers } = await send(target.base, { method: "GET", path: `/c/${site.slug}${query}` });
      assert.deepEqual([status, headers.location], [308, `/c/${site.slug}/${query}`]);
    }
  });

  it("the slug is escaped in that redirect", async () => {
    const { headers } = await send(target.base, { method: "GET", path: "/c/%0d%0aSet-Cookie:a=b" });
    assert.equal(headers["set-cookie"], undefined);
    const slashes = await send(target.base, { method: "GET", path: "/c/%2f%2fexample.com%2f.." });
    assert.equal(new URL(slashes.headers.location ?? "", target.base).origin, target.base);
  });

  const nothing = [
    "none.html",
    "bare/",
    "bare",
    "a.txt/",
    "a.txt/x",
    "index.html/",
    "both/none",
    "Folder/",
    "folder//",
    ".",
  ];
  const encoded = [
    "%2e%2e/index.html",
    "..%2f..%2fetc/passwd",
    "%5c",
    "%0d%0a",
    "a.txt%00",
    "%00",
    "folder%2f%2e%2e%2f",
  ];
  for (const path of [...nothing, ...encoded]) {
    it(`${path}: 404 NOT_FOUND`, async () => {
      refused(await get(path), 404, "NOT_FOUND");
    });
  }

  for (const path of ["%ff", "%c3%28", "%", "%zz", "folder/%ed%a0%80"]) {
    it(`${path} is not UTF-8: 400 INVALID_BODY`, async () => {
      refused(await get(path), 400, "INVALID_BODY");
    });
  }

  for (const slug of [
    "ab",
    "UPPER",
    "under_score",
    "%00",
    "%2e%2e",
    "-a-a",
    "no-such-canvas",
    "a".repeat(64),
  ]) {
    it(`no canvas at ${slug}: 404 NOT_FOUND`, async () => {
      refused(await visit(target, slug, site.people.viewer), 404, "NOT_FOUND");
    });
  }

  it("a browser gets a small page", async () => {
    for (const path of ["none.html", "%00"]) {
      const { status, headers, text } = await get(path, [["Accept", "text/html,*/*;q=0.8"]]);
      assert.equal(status, 404);
      assert.equal(headers["content-type"], "text/html; charset=utf-8");
      assert.match(String(headers["content-security-policy"]), /^default-src 'none'/);
      assert.match(text, /^<!doctype html>/);
    }
  });

  it("404.html of the bundle replaces it, with status 404", async () => {
    const own = await stage(target);
    await publish(target, own, { "index.html": "home", "404.html": "lost" });
    for (const path of ["none.html", "none/", "404", "a/b/c"]) {
      const { status, text, headers } = await visit(target, own.slug, own.people.viewer, path);
      assert.deepEqual([status, text], [404, "lost"], path);
      const known: [string, string][] = [
        ["If-None-Match", String(headers.etag)],
        ["Range", "bytes=0-1"],
      ];
      assert.equal((await visit(target, own.slug, own.people.viewer, path, known)).text, "lost");
    }
    assert.equal((await visit(target, own.slug, own.people.viewer, "404.html")).status, 200);
  });

  it("a canvas without a version: 404 NOT_FOUND, to its owner too", async () => {
    const draft = await stage(target);
    refused(await visit(target, draft.slug, draft.people.owner), 404, "NOT_FOUND");
  });

  it("HEAD sends the same headers and no body", async () => {
    for (const path of ["", "a.txt", "none.html", "folder"]) {
      const [whole, head] = [await get(path), await get(path, [], "HEAD")];
      const same = ({ headers: { date, ...rest } }: typeof head) => rest;
      assert.deepEqual([head.status, head.text], [whole.status, ""], path);
      if (whole.status === 200) assert.deepEqual(same(head), same(whole), path);
    }
  });

  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    it(`${method} is refused and changes nothing`, async () => {
      const { status, json } = await get("a.txt", [], method);
      assert.ok([404, 405].includes(status), String(status));
      assert.equal(typeof json.code, "string");
      assert.equal((await get("a.txt")).text, "a");
    });
  }
});

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { NAVIGATES } from "@easel/conformance/browser";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import type { Header } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";

const FILES = {
  "index.html": "app",
  "404.html": "lost",
  "app.js": "script",
  "about/index.html": "about",
  "terms.html": "terms",
  LICENSE: "licence",
};
const PROGRAM: Header = ["Accept", "*/*"];
const SCRIPT: Header = ["Sec-Fetch-Dest", "script"];

/** Requests to a canvas with `spa` on, and the responses. */
const ROWS: [path: string, headers: Header[], status: number, text: string][] = [
  ["", [NAVIGATES], 200, "app"],
  ["tasks", [NAVIGATES], 200, "app"],
  ["tasks/", [NAVIGATES], 200, "app"],
  ["tasks/7/edit?draft=1.5", [NAVIGATES], 200, "app"],
  ["v1.2/notes", [NAVIGATES], 200, "app"],
  ["%C3%BC%20b", [NAVIGATES], 200, "app"],
  ["terms.html", [NAVIGATES], 200, "terms"],
  ["LICENSE", [NAVIGATES], 200, "licence"],
  ["about/", [NAVIGATES], 200, "about"],
  ["about", [NAVIGATES], 308, ""],
  ["old.html", [NAVIGATES], 404, "lost"],
  ["assets/app-3f9c1b2a.js", [NAVIGATES], 404, "lost"],
  ["tasks/photo.png", [NAVIGATES], 404, "lost"],
  ["tasks", [PROGRAM], 404, "lost"],
  ["tasks", [], 404, "lost"],
  ["tasks", [PROGRAM, SCRIPT], 404, "lost"],
];

const { target } = await startDev({ after });

describe("a canvas with client-side routes (`spa`)", () => {
  let site: Stage;
  const turn = async (spa: boolean) => {
    const path = `/api/canvases/${site.id}`;
    const answer = await manage(target, site.people.owner, "PATCH", path, { spa });
    assert.deepEqual([answer.status, answer.json.spa], [200, spa], answer.text);
  };
  before(async () => {
    site = await stage(target);
    await publish(target, site, FILES);
    await turn(true);
  });
  const get = (path: string, headers: Header[] = [], method = "GET") =>
    visit(target, site.slug, site.people.viewer, path, headers, method);

  for (const [path, headers, status, text] of ROWS) {
    it(`${path || "nothing"}, ${headers.map(([name, value]) => `${name}: ${value}`)}: ${status} ${text}`, async () => {
      for (const method of ["GET", "HEAD"]) {
        const answer = await get(path, headers, method);
        assert.deepEqual([answer.status, answer.text], [status, method === "GET" ? text : ""]);
      }
    });
  }

  it("a route has the headers and the ETag of index.html, and is never kept", async () => {
    const [page, route] = [await get("", [NAVIGATES]), await get("tasks/7", [NAVIGATES])];
    for (const header of ["etag", "cache-control", "vary", "content-type", "content-security-policy"])
      assert.equal(route.headers[header], page.headers[header], header);
    assert.equal(route.headers["cache-control"], "private, no-cache");
    const known: Header = ["If-None-Match", String(route.headers.etag)];
    assert.equal((await get("tasks/8", [NAVIGATES, known])).status, 304);
    assert.equal((await get("tasks/8", [NAVIGATES, ["Range", "bytes=0-0"]])).status, 206);
  });

  it("a route pins the page load to its version", async () => {
    const answer = await get("tasks/9", [NAVIGATES, ["Sec-Fetch-Dest", "document"]]);
    assert.match(String(answer.headers["set-cookie"]), /^easel_version=/);
  });

  for (const path of ["../x", ".git", "a/.git", "a//b", "%00", ".well-known/acme-challenge/token"]) {
    it(`${path} is no route: 404`, async () => {
      assert.equal((await get(path.replace("../", "%2e%2e%2f"), [NAVIGATES])).status, 404);
    });
  }

  it("a person without access gets the refusal", async () => {
    refused(await visit(target, site.slug, site.people.stranger, "tasks"), 404, "OWNER_ONLY");
  });

  it("without index.html: 404", async () => {
    const bare = await stage(target);
    await publish(target, bare, { "a.txt": "a" });
    const { people, id, slug } = bare;
    await manage(target, people.owner, "PATCH", `/api/canvases/${id}`, { spa: true });
    assert.equal((await visit(target, slug, people.owner, "tasks", [NAVIGATES])).status, 404);
  });

  it("with `spa` off again, a route gets 404.html", async () => {
    await turn(false);
    const answer = await get("tasks", [NAVIGATES]);
    assert.deepEqual([answer.status, answer.text], [404, "lost"]);
  });
});

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { mayPublish } from "@easel/conformance/admin";
import { Browser } from "@easel/conformance/browser";
import { amend, type Stage, stage } from "@easel/conformance/fixture";
import type { Answer, Header } from "@easel/conformance/http";
import { unpublish } from "@easel/conformance/lifecycle";
import { pageUrl } from "@easel/conformance/page";
import type { Target } from "@easel/conformance/target";
import { startDev } from "../support/engines.ts";
import { publish } from "../support/publish.ts";
import type { TestEnv } from "../support/test-env.ts";

const FILES = {
  "index.html": "home",
  "404.html": "lost",
  "page-3f9c1b2a.html": "a page with a hash",
  "app-3f9c1b2a.js": "script of the build",
  "index.BxY12_ab.css": "style of the build",
  "app.js": "script",
  "photo-20240101.jpg": "photo",
  "drawing.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
};
const HASHED = ["app-3f9c1b2a.js", "index.BxY12_ab.css"];
const PLAIN = ["app.js", "photo-20240101.jpg", "drawing.svg"];
const PAGES = ["", "index.html", "page-3f9c1b2a.html", "none-3f9c1b2a.js", "none"];

const PRIVATE = "private, no-cache";
const KEPT = "private, max-age=31536000, immutable";
const SHARED = "public, max-age=31536000, s-maxage=300, immutable";
const DOCUMENT: Header = ["Sec-Fetch-Dest", "document"];

const services = {
  path: await startDev({ after }),
  subdomain: await startDev({ after }, { SERVICE_URL_MODE: "subdomain" }),
};
for (const [urlMode, { target, env }] of Object.entries(services))
  describe(`Cache-Control, canvases by ${urlMode}`, () => suite(target, env));

function suite(target: Target, env: TestEnv): void {
  let site: Stage;
  let anonymous: Browser;
  /** Browsers that have opened the canvas, and so have all cookies for it, in subdomain mode also those of its host. */
  let owner: Browser;
  let viewer: Browser;
  before(async () => {
    site = await stage(target);
    await publish(target, site, FILES);
    anonymous = new Browser(target);
    [owner, viewer] = [new Browser(target, site.people.owner), new Browser(target, site.people.viewer)];
    for (const browser of [owner, viewer]) assert.equal((await browser.canvas(site.slug)).status, 200);
  });
  const get = (browser: Browser, path: string, headers: Header[] = [], method = "GET"): Promise<Answer> =>
    browser.send(method, new URL(path, pageUrl(target, site.slug)), headers);
  const caches = async (browser: Browser, hashed: string, plain: string) => {
    for (const [paths, expected] of [
      [HASHED, hashed],
      [PLAIN, plain],
      [PAGES, PRIVATE],
    ] as const)
      for (const path of paths) {
        const { headers } = await get(browser, path);
        assert.equal(headers["cache-control"], expected, path);
        assert.equal(headers.vary, "Accept-Encoding", path);
        assert.ok(headers.etag, path);
        if (expected.startsWith("public")) assert.equal(headers["set-cookie"], undefined, path);
      }
  };
  for (const access of ["private", "whole_org"] as const) {
    it(`${access}: only browsers keep files, and only those with a hash`, async () => {
      await amend(target, site, { access });
      await caches(viewer, KEPT, PRIVATE);
    });
  }

  it("Public link: shared caches keep all but pages, for everyone alike", async () => {
    await amend(target, site, { access: "public_link" });
    for (const browser of [anonymous, viewer, owner]) await caches(browser, SHARED, "public, no-cache");
  });

  it("Public link: HEAD, 206 and 304 have the same Cache-Control", async () => {
    const [file = ""] = HASHED;
    const { headers } = await get(anonymous, file);
    const answers: [status: number, answer: Answer][] = [
      [200, await get(anonymous, file, [], "HEAD")],
      [206, await get(anonymous, file, [["Range", "bytes=0-1"]])],
      [304, await get(anonymous, file, [["If-None-Match", String(headers.etag)]])],
    ];
    for (const [status, answer] of answers)
      assert.deepEqual([answer.status, answer.headers["cache-control"]], [status, SHARED]);
  });

  it("Public link: a response that sets a cookie is private", async () => {
    for (const path of ["", "drawing.svg"]) {
      const { headers } = await get(new Browser(target), path, [DOCUMENT]);
      assert.match(String(headers["set-cookie"]), /^easel_version=/);
      assert.equal(headers["cache-control"], PRIVATE, path);
    }
  });

  it("Public link that expires within five minutes: shared caches keep files until then", async () => {
    const now = Date.now();
    env.clock = () => now;
    await amend(target, site, { expiresAt: now + 90_500 });
    const { headers } = await get(anonymous, "app-3f9c1b2a.js");
    assert.equal(headers["cache-control"], SHARED.replace("300", "90"));
    env.clock = () => now + 90_500;
    await caches(owner, KEPT, PRIVATE);
    env.clock = Date.now;
    await amend(target, site, { expiresAt: null });
  });

  it("Public link with a password: private", async () => {
    await amend(target, site, { password: "assam tea" });
    const browser = new Browser(target);
    assert.equal((await browser.unlock(site.slug, "assam tea")).status, 303);
    await caches(browser, KEPT, PRIVATE);
    await caches(owner, KEPT, PRIVATE);
    await amend(target, site, { password: null });
  });

  it("Public link of an owner who may not have one: private", async () => {
    await mayPublish(target, site.people.owner, false);
    await caches(owner, KEPT, PRIVATE);
    await mayPublish(target, site.people.owner, true);
    await caches(anonymous, SHARED, "public, no-cache");
  });

  it("a refusal is never kept", async () => {
    await unpublish(target, site);
    for (const path of [...HASHED, ...PLAIN, ...PAGES]) {
      const { status, headers } = await get(owner, path);
      assert.equal(status, 404);
      assert.equal(headers["cache-control"], "private, no-store", path);
    }
  });
}

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cast, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { send } from "@easel/conformance/http";
import type { Person } from "@easel/conformance/target";
import { startDev } from "../support/engines.ts";
import { publish } from "../support/publish.ts";

const SCREENS = [
  "/",
  "/new",
  "/account",
  "/teams",
  "/teams/some-id",
  "/canvases/some-id",
  "/canvases/some-id/sharing",
];

for (const urlMode of ["path", "subdomain"] as const) {
  describe(`the dashboard in ${urlMode} mode`, async () => {
    const { target, env } = await startDev({ after }, { SERVICE_URL_MODE: urlMode });
    let owner: Person;
    before(async () => {
      ({ owner } = await cast(target));
    });
    const get = (path: string, headers: Person["headers"] = owner.headers) =>
      send(target.base, { method: "GET", path, headers });

    it("every screen is the same document, which is asked for again each time", async () => {
      const first = await get("/");
      assert.equal(first.status, 200);
      assert.match(first.text, /<div id="app">/);
      for (const path of SCREENS) {
        const { status, text, headers } = await get(path);
        assert.deepEqual([status, text], [200, first.text], path);
        assert.equal(headers["cache-control"], "private, no-store");
      }
      const known = await get("/", [...owner.headers, ["if-none-match", String(first.headers.etag)]]);
      assert.deepEqual([known.status, known.text], [304, ""]);
    });

    it("the document has no script or style of its own, and a policy that allows none", async () => {
      const { text, headers } = await get("/");
      assert.doesNotMatch(text, /<style|style=|<script(?![^>]* src=)|\son\w+=/);
      const { base } = env;
      assert.deepEqual(String(headers["content-security-policy"]).split("; "), [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "font-src 'self'",
        `connect-src 'self' ${base.origin.replace("http", "ws")}`,
        `frame-src ${urlMode === "path" ? "'none'" : `${base.canvasHosts} ${base.origin}/auth/canvas`}`,
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ]);
      assert.equal(headers["cross-origin-opener-policy"], "same-origin");
      assert.equal(headers["x-frame-options"], "DENY");
      assert.equal(headers["referrer-policy"], "same-origin");
    });

    it("the assets of the document are kept for a year, and sent compressed as they were built", async () => {
      const { text } = await get("/");
      const names = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, name = ""]) => name);
      assert.ok(names.length >= 2);
      for (const name of names) {
        const plain = await get(name, []);
        assert.deepEqual([plain.status, plain.headers["content-encoding"]], [200, undefined]);
        assert.equal(plain.headers["cache-control"], "public, max-age=31536000, immutable");
        for (const encoding of ["br", "gzip"]) {
          const { status, headers } = await get(name, [["accept-encoding", encoding]]);
          assert.deepEqual([status, headers["content-encoding"]], [200, encoding]);
          assert.notEqual(headers.etag, plain.headers.etag);
          assert.ok(Number(headers["content-length"]) < Number(plain.headers["content-length"]));
        }
      }
    });

    it("an asset that does not exist is 404 and not the document", async () => {
      for (const path of ["/assets/index-00000000.js", "/assets/..%2findex.html", "/assets/index.html"]) {
        const { status, text } = await get(path);
        assert.equal(status, 404, path);
        assert.doesNotMatch(text, /id="app"/);
      }
    });

    it("a path that is no screen is 404", async () => {
      assert.equal((await get("/no-screen")).status, 404);
    });

    it("a visitor signs in first, and comes back to the screen", async () => {
      const html: Person["headers"] = [["accept", "text/html"]];
      for (const path of SCREENS) {
        const { status, headers } = await get(path, html);
        const to = `/auth/login?returnTo=${encodeURIComponent(path)}`;
        assert.deepEqual([status, String(headers.location).replace(target.base, "")], [302, to]);
      }
      const program = await get("/", []);
      assert.equal(program.status, 401);
      assert.match(String(program.headers.link), /skill\.md>; rel="help"/);
    });

    it("a guest is redirected to their canvas", async () => {
      const site = await stage(target);
      await publish(target, site, { "index.html": "in" });
      const guest = await guestOf(target, site, "guest@example.com");
      const { status, headers } = await get("/", guest.headers);
      assert.deepEqual([status, headers.location], [302, env.base.canvasUrl(site.slug)]);
    });

    it("`/c` and `/c/` redirect to the dashboard", async () => {
      for (const path of ["/c", "/c/", "/canvases", "/canvases/"])
        for (const headers of [[], owner.headers]) {
          const answer = await get(path, headers);
          assert.deepEqual([answer.status, answer.headers.location], [302, "/"], path);
        }
    });
  });
}

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";

/** A file of each kind, and the type that it is sent as. */
const TYPES: Record<string, string> = {
  "page.html": "text/html; charset=utf-8",
  "PAGE2.HTML": "text/html; charset=utf-8",
  "style.css": "text/css; charset=utf-8",
  "script.js": "text/javascript; charset=utf-8",
  "module.mjs": "text/javascript; charset=utf-8",
  "source.ts": "text/plain; charset=utf-8",
  "source.tsx": "text/plain; charset=utf-8",
  "data.json": "application/json; charset=utf-8",
  "script.js.map": "application/json; charset=utf-8",
  "app.webmanifest": "application/manifest+json; charset=utf-8",
  "code.wasm": "application/wasm",
  "drawing.svg": "image/svg+xml; charset=utf-8",
  "photo.png": "image/png",
  "icon.ico": "image/x-icon",
  "letters.woff2": "font/woff2",
  "film.mp4": "video/mp4",
  "words.txt": "text/plain; charset=utf-8",
  "unknown.xyz123": "application/octet-stream",
  none: "application/octet-stream",
  "folder/none": "application/octet-stream",
};

const { target } = await startDev({ after });

describe("how files are sent", () => {
  let site: Stage;
  before(async () => {
    site = await stage(target);
    await publish(target, site, { "index.html": "home" });
  });

  it("each file has its type, and nosniff", async () => {
    const kinds = await stage(target);
    await publish(target, kinds, Object.fromEntries(Object.keys(TYPES).map((path) => [path, "x"])));
    for (const [path, type] of Object.entries(TYPES)) {
      const { status, headers } = await visit(target, kinds.slug, kinds.people.viewer, path);
      assert.deepEqual([path, status, headers["content-type"]], [path, 200, type]);
      assert.equal(headers["x-content-type-options"], "nosniff", path);
      assert.equal(headers["cache-control"], "private, no-cache", path);
    }
  });

  it("the policy of a page limits it to its own paths and other sites", async () => {
    const { headers } = await visit(target, site.slug, site.people.viewer);
    const policy = Object.fromEntries(
      String(headers["content-security-policy"])
        .split("; ")
        .map((rule) => {
          const [name, ...sources] = rule.split(" ");
          return [name, sources];
        }),
    );
    const own = `${target.base}/c/${site.slug}/`;
    const api = `${target.base}/v1/c/${site.slug}/`;
    assert.deepEqual(policy, {
      "connect-src": [own, api, api.replace("http", "ws"), "https:", "wss:", "data:", "blob:"],
      "form-action": [own, api, "https:"],
      "frame-src": [own, "https:", "data:", "blob:"],
      "worker-src": [own, "blob:"],
      "frame-ancestors": ["'self'", target.base],
    });
    assert.equal(headers["service-worker-allowed"], undefined);
  });

  it("the same policy applies to other content with scripts: SVG, other documents and workers", async () => {
    const active = await stage(target);
    await publish(target, active, {
      "a.svg": "<svg/>",
      "b.xhtml": "<html/>",
      "c.xml": "<a/>",
      "worker.js": "1",
    });
    for (const path of ["a.svg", "b.xhtml", "c.xml", "worker.js"]) {
      const { headers } = await visit(target, active.slug, active.people.viewer, path);
      assert.match(String(headers["content-security-policy"]), /connect-src /, path);
    }
  });
});

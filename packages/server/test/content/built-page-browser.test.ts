import assert from "node:assert/strict";
import { test } from "node:test";
import { stage } from "@easel/conformance/fixture";
import { noBrowser, openBrowser } from "../support/browser.ts";
import { publish } from "../support/publish.ts";
import { enterAs, startSite } from "../support/site.ts";

/** Returns the files that a Vite build writes with this `base` setting. */
const built = (base: string) => ({
  "index.html": `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Built</title>
<script type="module" crossorigin src="${base}assets/index-BxY12_ab.js"></script>
<link rel="modulepreload" crossorigin href="${base}assets/vendor-C4xQ9zL2.js">
<link rel="stylesheet" crossorigin href="${base}assets/index-Dx4kZ8qR.css"></head><body></body></html>`,
  "assets/index-BxY12_ab.js": `import { word } from "./vendor-C4xQ9zL2.js";
const { part } = await import("./part-Eo7mT3wK.js");
document.body.append(word, part, new Image());
document.querySelector("img").src = new URL("logo-Fy2nV5xP.svg", import.meta.url).href;`,
  "assets/vendor-C4xQ9zL2.js": `export const word = "built ";`,
  "assets/part-Eo7mT3wK.js": `export const part = "and split";`,
  "assets/index-Dx4kZ8qR.css": "body { color: rgb(1, 2, 3) }",
  "assets/logo-Fy2nV5xP.svg":
    '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"><rect width="7" height="7"/></svg>',
});

const ROWS = [
  ["subdomain", "/", "works"],
  ["path", "./", "works"],
  ["path", "/", "is told"],
] as const;

for (const [mode, base, outcome] of ROWS) {
  test(`a build for ${base}, canvases by ${mode}: ${outcome}`, { skip: noBrowser }, async (t) => {
    const site = await startSite(t, mode);
    const canvas = await stage(site.target);
    await publish(site.target, canvas, built(base));
    const context = await (await openBrowser(t)).newContext();
    await enterAs(context, site, canvas.people.viewer);
    const page = await context.newPage();
    const refused = new Set<string>();
    page.on("response", (response) => {
      if (response.status() >= 400 && response.url().includes("/assets/")) refused.add(response.url());
    });
    const address = site.env.base.canvasUrl(canvas.slug);
    await page.goto(address, { waitUntil: "load" });
    if (outcome === "works") {
      await page.getByText("built and split").waitFor();
      await page.waitForFunction("document.querySelector('img').naturalWidth === 7");
      assert.equal(await page.evaluate("getComputedStyle(document.body).color"), "rgb(1, 2, 3)");
      assert.deepEqual([...refused], []);
    } else {
      const script = `${site.base}/assets/index-BxY12_ab.js`;
      assert.ok(refused.has(script));
      await page.goto(script, { referer: address });
      await page.getByText("built for the root of a host").waitFor();
    }
  });
}

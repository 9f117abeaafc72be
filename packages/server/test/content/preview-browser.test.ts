import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { manage, stage } from "@easel/conformance/fixture";
import { noFullBrowser, openBrowser } from "../support/browser.ts";
import { publish } from "../support/publish.ts";
import { enterAs, startSite } from "../support/site.ts";

/** A page that registers a worker. */
const page = (title: string) => `<!doctype html><title>${title}</title><h1>${title}</h1>
<script>navigator.serviceWorker.register("./sw.js").catch(() => {});</script>`;

/** A worker that stores each page that it fetches, and serves what it has stored. */
const KEEPER = `addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => event.respondWith((async () => {
  const cache = await caches.open("pages");
  const kept = await cache.match(event.request);
  if (kept) return kept;
  const response = await fetch(event.request);
  await cache.put(event.request, response.clone()).catch(() => {});
  return response;
})()));`;

for (const mode of ["path", "subdomain"] as const)
  test(`by ${mode}, the worker of a page keeps nothing of a preview, and does not hide it`, {
    skip: noFullBrowser,
  }, async (t) => {
    const site = await startSite(t, mode);
    const { target, env } = site;
    const canvas = await stage(target);
    const old = await publish(target, canvas, {
      "index.html": page("old"),
      "more.html": page("old more"),
      "sw.js": KEEPER,
    });
    await publish(target, canvas, {
      "index.html": page("live"),
      "more.html": page("live more"),
      "sw.js": KEEPER,
    });
    const context = await (await openBrowser(t, "full")).newContext();
    await enterAs(context, site, canvas.people.owner);
    const tab = await context.newPage();
    const address = env.base.canvasUrl(canvas.slug);
    await tab.goto(address);
    await tab.waitForFunction("navigator.serviceWorker.controller !== null");

    const path = `/api/canvases/${canvas.id}/versions/${old}/preview`;
    const { json } = await manage(target, canvas.people.owner, "POST", path);
    await tab.goto(String(json.url));
    const until = async (url: string, title: string) => {
      for (const end = Date.now() + 30_000; (await tab.title()) !== title && Date.now() < end; ) {
        await sleep(50);
        await tab.goto(url).catch(() => {});
      }
      assert.equal(await tab.title(), title);
    };
    await until(address, "old");
    await until(`${address}more.html`, "old more");

    await tab.goto(`${address}__preview`);
    await tab.getByRole("button", { name: "Leave the preview" }).click();
    await tab.waitForURL(address);
    for (const [file, title] of [
      ["", "live"],
      ["more.html", "live more"],
    ]) {
      // Once with and once without the worker, which the published page registers again.
      for (let load = 0; load < 2; load++) {
        await tab.goto(address + file);
        assert.equal(await tab.title(), title);
        await tab.waitForFunction("navigator.serviceWorker.controller !== null");
      }
    }
  });

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { stage } from "@easel/conformance/fixture";
import { noFullBrowser, openBrowser } from "../support/browser.ts";
import { publish } from "../support/publish.ts";
import { enterAs, startSite } from "../support/site.ts";

const html = (title: string, script = "") =>
  `<!doctype html><title>${title}</title><h1>${title}</h1><script>${script}</script>`;

/** A page that stores a secret and registers a worker. */
const FORMER = html(
  "former",
  `localStorage.setItem("secret", "of the former page");
  indexedDB.open("secrets");
  caches.open("secrets");
  navigator.serviceWorker.register("./sw.js").then(() => navigator.serviceWorker.ready).then(() => { document.title = "ready"; });`,
);

/** A worker that responds to every navigation by itself. */
const HIJACKER = `addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (event.request.mode === "navigate")
    event.respondWith(new Response("<title>hijacked</title>", { headers: { "content-type": "text/html" } }));
});`;

/** A worker that passes every request on. */
const HARMLESS = `addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => event.respondWith(fetch(event.request)));`;

/** What the page of a canvas finds in the browser. */
const LEFT = `Promise.all([indexedDB.databases(), caches.keys(), navigator.serviceWorker.getRegistrations()]).then(
  ([databases, caches, workers]) => ({ secret: localStorage.getItem("secret"),
    databases: databases.length, caches: caches.length, workers: workers.length }))`;
const NOTHING = { secret: null, databases: 0, caches: 0, workers: 0 };

const CASES = [
  ["path", "a worker that hijacks the page", HIJACKER, { "index.html": html("new") }],
  ["subdomain", "storage and a worker that passes requests on", HARMLESS, { "index.html": html("new") }],
  [
    "subdomain",
    "storage and a worker, where the new canvas has a file of the same name",
    HIJACKER,
    { "index.html": html("new"), "sw.js": "" },
  ],
] as const;

for (const [mode, left, worker, files] of CASES) {
  test(`by ${mode}, a canvas gets rid of what a former one left: ${left}`, {
    skip: noFullBrowser,
  }, async (t) => {
    const site = await startSite(t, mode);
    const { target, env } = site;
    const former = await stage(target);
    await publish(target, former, { "index.html": FORMER, "sw.js": worker });
    const context = await (await openBrowser(t, "full")).newContext();
    await enterAs(context, site, former.people.viewer);
    const page = await context.newPage();
    const address = env.base.canvasUrl(former.slug);
    await page.goto(address);
    await page.waitForFunction("document.title === 'ready'");

    const canvas = await stage(target, { people: former.people });
    await publish(target, canvas, files);
    await env.db.run`update canvases set slug = ${`former-${former.slug}`} where id = ${former.id}`;
    await env.db.run`update canvases set slug = ${former.slug} where id = ${canvas.id}`;

    await page.goto(address);
    if (worker === HIJACKER) assert.equal(await page.title(), "hijacked");
    // Browsers do this by themselves a second after a navigation.
    const update =
      "navigator.serviceWorker.getRegistration().then((worker) => worker?.update()).then(() => true)";
    if (worker === HIJACKER) await page.evaluate(update).catch(() => {});
    // The former worker may still answer a navigation that the browser starts before it has cleared the storage.
    const end = Date.now() + 30_000;
    while ((await page.title()) !== "new" && Date.now() < end) {
      await sleep(50);
      if ("sw.js" in files) await page.goto(address);
    }
    await page.goto(address);
    assert.equal(await page.title(), "new");
    const found = await page.evaluate(LEFT);
    if (mode === "subdomain") assert.deepEqual(found, NOTHING);
    else assert.equal((found as typeof NOTHING).workers, 0);
  });
}

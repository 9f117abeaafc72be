import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { govern } from "@easel/conformance/policy";
import type { Person } from "@easel/conformance/target";
import type { Browser } from "playwright-core";
import { noBrowser, openBrowser } from "../support/browser.ts";
import { publish } from "../support/publish.ts";
import { fileScope } from "../support/service.ts";
import { enterAs, type Site, startSite } from "../support/site.ts";

const CLICKS = 70;

/** A page on which everyone votes for the same card, and which reads what a first visitor has not written yet. */
const PAGE = `<!doctype html><meta charset="utf-8"><title>Votes</title><script src="/sdk/v1.js"></script>
<button>…</button>
<script type="module">
  const button = document.querySelector("button");
  window.empty = [await easel.kv.user.get("draft"), await easel.submissions.get("box")];
  const cards = easel.kv.collection("cards");
  cards.live({}, ([card]) => {
    button.textContent = card.value;
    button.onclick = () => cards.increment(card.id);
  });
</script>`;

const scope = fileScope();
let site: Site;
let canvas: Stage;
let browser: Browser;

before(async () => {
  if (noBrowser) return;
  site = await startSite(scope, "path", { settings: { SERVICE_RATELIMIT_ENABLED: "true" } });
  canvas = await stage(site.target);
  await govern(site.target, canvas, { collections: { cards: { preset: "collaborative" } } });
  await publish(site.target, canvas, { "index.html": PAGE });
  await canvas.pages.owner.post("/collections/cards", 0);
  browser = await openBrowser(scope);
});

/** Opens the page as a person, and notes its requests to the API, their statuses, and what is wrong in its console. */
async function openPage(person: Person) {
  const context = await browser.newContext();
  await enterAs(context, site, person);
  const page = await context.newPage();
  const statuses: number[] = [];
  const faults: string[] = [];
  page.on("response", (response) => {
    if (response.url().includes("/v1/c/")) statuses.push(response.status());
  });
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  await page.goto(site.env.base.canvasUrl(canvas.slug));
  await page.waitForFunction(`document.querySelector("button").textContent === "0"`);
  return { page, statuses, faults };
}

test("two people click 70 times each within a minute: no vote is refused, few requests are reads, the console is empty", {
  skip: noBrowser,
}, async () => {
  const all = await Promise.all([openPage(canvas.people.editor), openPage(canvas.people.viewer)]);
  const start = Date.now();
  await Promise.all(
    all.map(({ page }) =>
      page.evaluate(`(async () => {
        for (let click = 0; click < ${CLICKS}; click++) {
          document.querySelector("button").click();
          await new Promise((resolve) => setTimeout(resolve, 25));
        }
      })()`),
    ),
  );
  const total = String(2 * CLICKS);
  for (const { page } of all)
    await until("all votes are shown", async () => (await page.textContent("button")) === total);
  assert.ok(Date.now() - start < 60_000);
  for (const { page, statuses, faults } of all) {
    assert.deepEqual(await page.evaluate("empty.map((each) => each === undefined)"), [true, true]);
    assert.deepEqual([statuses.filter((status) => status >= 400), faults], [[], []]);
    const reads = statuses.length - CLICKS;
    assert.ok(reads <= 20, `${reads} requests beside the votes`);
  }
});

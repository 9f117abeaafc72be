import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { govern } from "@easel/conformance/policy";
import type { Person } from "@easel/conformance/target";
import type { Browser, Page } from "playwright-core";
import { memory } from "../../src/drivers/bus/memory.ts";
import { noBrowser, openBrowser } from "../support/browser.ts";
import { publish } from "../support/publish.ts";
import { fileScope } from "../support/service.ts";
import { enterAs, type Site, startSite } from "../support/site.ts";

const PAGE = `<!doctype html><title>Page</title><script src="/sdk/v1.js"></script>`;
const SLOW_MS = 10_000;

const scope = fileScope();
/** The time in ms by which the clock of the rate limiter is ahead of the real clock. */
let moved = 0;
let site: Site;
let canvas: Stage;
let writer: Opened;
let reader: Opened;

// In subdomain mode a page reads the headers of the rate limit only if the service exposes them.
before(async () => {
  if (noBrowser) return;
  site = await startSite(scope, "subdomain", { settings: { SERVICE_RATELIMIT_ENABLED: "true" } });
  site.env.bus.take = memory(() => performance.now() + moved).take;
  canvas = await stage(site.target);
  await govern(site.target, canvas, { collections: { todos: { preset: "collaborative" } } });
  await publish(site.target, canvas, { "index.html": PAGE });
  const browser = await openBrowser(scope);
  writer = await openPage(browser, canvas.people.editor);
  reader = await openPage(browser, canvas.people.viewer);
});

interface Opened {
  page: Page;
  /** Runs the body of an async function in the page. */
  evaluate(body: string): Promise<unknown>;
}

/** Opens the page of the canvas as a person. */
async function openPage(browser: Browser, person: Person): Promise<Opened> {
  const context = await browser.newContext();
  await enterAs(context, site, person);
  const page = await context.newPage();
  await page.goto(site.env.base.canvasUrl(canvas.slug));
  return { page, evaluate: (body) => page.evaluate(`(async () => {${body}})()`) };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test("an import of 150 records stays inside 120 requests a minute, and a second person gets each once", {
  skip: noBrowser,
}, async () => {
  await reader.evaluate(`
    window.changes = [];
    await new Promise((resolve) => easel.kv.collection("todos").watch(({ op, id }) => {
      if (op === "resync") resolve(); else changes.push(id);
    }));`);
  const refused: number[] = [];
  writer.page.on("response", (response) => {
    if (response.status() === 429) refused.push(response.status());
  });
  await writer.page.clock.install();
  await writer.evaluate(`
    window.done = 0;
    const titles = Array.from({ length: 150 }, (_, index) => ({ title: index }));
    const onProgress = (progress) => { done = progress.done; };
    easel.kv.collection("todos").createMany(titles, { onProgress }).then((records) => { window.records = records; });`);
  const done = () => writer.page.evaluate<number>("done");
  await until("a quarter of the limit is left", async () => (await done()) === 90);
  // The page's other calls work meanwhile, and take longer than a record would.
  await writer.evaluate("for (let count = 0; count < 20; count++) await easel.me();");
  assert.equal(await done(), 90);
  for (let turn = 0; turn < 8 && (await done()) < 150; turn++) {
    const before = await done();
    moved += SLOW_MS;
    await writer.page.clock.fastForward(SLOW_MS);
    await until("another record is created", async () => (await done()) > before);
  }
  await until("all records are created", async () => (await done()) === 150);
  const { entries, changes } = (await reader.evaluate(`
    const { entries } = await easel.kv.collection("todos").list({ limit: 1000 });
    return { entries, changes };`)) as {
    entries: { id: string; value: { title: number } }[];
    changes: string[];
  };
  assert.deepEqual(
    entries.map(({ value }) => value.title),
    numbers(150),
  );
  assert.deepEqual(
    changes,
    entries.map(({ id }) => id),
  );
  assert.deepEqual(refused, []);
});

test("300 points that are drawn in bursts reach a second person once and in order, also the last before the page ends", {
  skip: noBrowser,
}, async () => {
  const [painter, watcher] = [writer, reader];
  await watcher.evaluate(`
    window.points = [];
    window.messages = 0;
    await easel.realtime.channel("participants:board").subscribe(({ data }) => {
      points.push(...data);
      messages++;
    });`);
  await painter.evaluate(`
    const board = easel.realtime.channel("participants:board");
    window.errors = [];
    board.onError(({ code }) => errors.push(code));
    window.draw = board.batch("stroke");
    await board.presence();
    for (let point = 0; point < 200; point++) draw(point);`);
  await until(
    "the first burst is seen",
    async () => (await watcher.page.evaluate<number>("points.length")) === 200,
  );
  await painter.evaluate(`for (let point = 200; point < 300; point++) draw(point);`);
  assert.deepEqual(await painter.page.evaluate("errors"), []);
  await painter.page.goto("about:blank");
  await until(
    "the last burst is seen",
    async () => (await watcher.page.evaluate<number>("points.length")) >= 300,
  );
  assert.deepEqual(await watcher.evaluate("return [points, messages]"), [numbers(300), 2]);
});

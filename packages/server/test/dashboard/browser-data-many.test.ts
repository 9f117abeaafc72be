import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { until } from "@easel/conformance/patience";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { type Dashboard, startDashboard } from "../support/dashboard.ts";
import { makeDataCanvas, rowOf } from "./data-screen.ts";

const RECORDS = 10_000;

/** Makes a canvas with 10,000 records of its owner, and opens their list. Counts what the page asks of the runtime API, and what is refused. */
async function openMany({ target, env, open }: Dashboard) {
  const ada = await target.signIn("ada@acme.test");
  const canvas = await makeDataCanvas(target, ada, { collections: { log: { preset: "contributions" } } });
  const { authorId } = await canvas.call(ada, "POST", "/collections/log", { title: "The newest", votes: 0 });
  await env.db.run`
    insert into records (id, canvas_id, collection, author_id, value, created_at, updated_at)
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${RECORDS - 1})
    select '01900000-0000-7000-8000-' || substr('000000000000' || i, -12), ${canvas.id}, 'log', ${String(authorId)},
      '{"title":"Record ' || i || '","votes":' || (i % 100) || '}', i, i from n`;
  const { page } = await open(ada.email, "/account", { viewport: { width: 1280, height: 800 } });
  const asked: string[] = [];
  const refused: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/runtime/")) asked.push(request.url());
  });
  page.on("response", (response) => {
    if (response.status() === 429) refused.push(response.url());
  });
  await page.goto(`${env.base.origin}/canvases/${canvas.id}/data?show=collection:log`);
  await rowOf(page, "The newest").waitFor();
  return { page, asked, refused };
}

const drawn = (page: Page) => page.getByRole("row").count();
const focused = async (page: Page) => String(await page.evaluate("document.activeElement.textContent"));

/** Goes into the grid by the keyboard alone. */
async function enterGrid(page: Page): Promise<void> {
  await page.getByRole("button", { name: "New record" }).focus();
  await until("the focus is on a row", async () => {
    await page.keyboard.press("Tab");
    return page.evaluate("document.activeElement.getAttribute('role') === 'row'");
  });
}

describe("a collection of 10,000 records", { skip: noBrowser }, async () => {
  const plenty = await startDashboard({ after }, { settings: { SERVICE_RATELIMIT_ENABLED: "true" } });
  const scarce = await startDashboard(
    { after },
    { settings: { SERVICE_RATELIMIT_ENABLED: "true", SERVICE_RATELIMIT_CANVAS_API_PER_MIN: "16" } },
  );

  it("is read by pages and drawn in view alone; its last record is reached by keyboard, within the rate limit", async () => {
    const { page, asked, refused } = await openMany(plenty);
    const grid = page.getByRole("grid");
    assert.equal(await grid.getAttribute("aria-rowcount"), "-1", "it goes on");
    assert.ok((await drawn(page)) <= 60);
    await enterGrid(page);
    for (let presses = 0; presses < 8; presses++) {
      await page.keyboard.press("PageDown");
      assert.ok((await drawn(page)) <= 60);
    }
    assert.match(await focused(page), /^Record 9\d\d\d/);
    await page.keyboard.press("Control+End");
    await until("the last record has the focus", async () =>
      /^Record 1\d\dyou|^Record 11/i.test(await focused(page)),
    );
    assert.equal(await grid.getAttribute("aria-rowcount"), String(RECORDS + 1));
    assert.ok((await drawn(page)) <= 60);
    await page.keyboard.press("ArrowUp");
    await until("one before it", async () => (await focused(page)).startsWith("Record 2"));
    await page.keyboard.press("Control+Home");
    await until("the first record has the focus", async () => (await focused(page)).startsWith("The newest"));
    assert.ok(asked.length <= 120, `${asked.length} requests`);
    assert.deepEqual(refused, []);
    await assertAccessible(page, "light");
  });

  it("waits for the next minute rather than being refused, says so, and leaves room for a write", async () => {
    const { page, asked, refused } = await openMany(scarce);
    await enterGrid(page);
    await page.keyboard.press("Control+End");
    await page.getByText("The screen goes on by itself within a minute.").waitFor();
    const before = asked.length;
    assert.ok(before <= 16 - 10 + 1, `${before} requests`);
    await assertAccessible(page, "dark");
    await page.keyboard.press("Control+Home");
    await page.getByRole("button", { name: "New record" }).click();
    await page.getByRole("textbox", { name: "title", exact: true }).fill("Written meanwhile");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Added the record.").waitFor();
    assert.deepEqual(refused, []);
  });
});

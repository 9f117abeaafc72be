import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import type { Person } from "@easel/conformance/target";
import type { Page } from "playwright-core";
import { writePageViews } from "../../src/organisation/view-counts.ts";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { upload } from "../support/publish.ts";
import { zip } from "../support/zip.ts";

const HOSTILE = `<img src=x onerror="document.title='run'"> & "quotes"`;

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const row = (page: Page, title: string) => page.getByRole("row").filter({ hasText: title });
const rows = (page: Page) => page.getByRole("row");

/** The title of the row that has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>('document.activeElement?.querySelector(".title")?.textContent ?? ""');

const noSideScroll = async (page: Page) =>
  assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));

describe("the canvases of a person", { skip: noBrowser }, async () => {
  const { target, env, open } = await startDashboard({ after });

  const call = async (person: Person, method: string, path: string, body?: object) => {
    const answer = await manage(target, person, method, path, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.status === 204 ? {} : answer.json;
  };
  const make = async (person: Person, title: string, tags: string[] = []): Promise<string> =>
    String((await call(person, "POST", "/api/canvases", { title, tags })).id);
  const read = (person: Person, id: string) => call(person, "GET", `/api/canvases/${id}`);

  it("a person without canvases reads what one is, and each empty list says why it is", async () => {
    const { page } = await open("new@example.com");
    await page.getByText("A canvas is a folder with an index.html. Drop one here;").waitFor();
    await page.getByText(`read ${env.base.origin}/skill.md`).waitFor();
    await assertAccessible(page, "dark");
    for (const [name, text] of [
      ["Shared with you", "Nothing is shared with you"],
      ["Organisation", "Nothing is listed yet"],
      ["Trash", "The trash is empty"],
    ] as const) {
      await page.getByRole("link", { name }).click();
      await page.getByRole("heading", { name: text }).waitFor();
      const current = page.getByRole("navigation", { name: "Lists" }).locator('[aria-current="page"]');
      assert.deepEqual(await current.allTextContents(), [name]);
    }
    await assertAccessible(page);
    await page.goto(`${env.base.origin}/?q=zebra&list=nonsense`);
    await page.getByText("No title and no address here contains").waitFor();
    await page.goto(`${env.base.origin}/?state=archived`);
    await page.getByText("No canvas passes the filters").waitFor();
    await button(page, "Clear the filters").click();
    await page.getByText("Make your first canvas").waitFor();
  });

  it("the address keeps search, filters and order, and rows say state and audience in words", async () => {
    const ada = await target.signIn("ada@example.com");
    const id = await make(ada, "Team lunch", ["food"]);
    await make(ada, HOSTILE);
    const answer = await upload(target, ada, id, await zip({ "index.html": "<h1>Hi</h1>" }));
    assert.equal(answer.status, 200, answer.text);
    const { page } = await open(ada.email);
    await row(page, HOSTILE).getByText("Not online yet").waitFor();
    await row(page, "Team lunch").getByText("Online", { exact: true }).waitFor();
    await row(page, "Team lunch").getByText("Only you").waitFor();
    await row(page, "Team lunch").getByText("Not opened yet").waitFor();
    await page.getByText("is not online yet.").waitFor();
    for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);

    await page.getByRole("searchbox").fill("LUNCH");
    await page.waitForURL(/\?q=LUNCH$/);
    await row(page, HOSTILE).waitFor({ state: "detached" });
    await row(page, "Team lunch").waitFor();
    await page.reload();
    await row(page, "Team lunch").waitFor();
    assert.equal(await page.getByRole("searchbox").inputValue(), "LUNCH");
    await button(page, "Clear the search").click();
    await row(page, HOSTILE).waitFor();

    await page.goto(`${env.base.origin}/?state=draft&sort=title`);
    await row(page, HOSTILE).waitFor();
    assert.equal(await rows(page).count(), 1);
    for (const who of ["ada", "bo"]) env.pageViews.add(id, who, env.clock());
    await writePageViews(env);
    await page.goto(`${env.base.origin}/?sort=used`);
    await rows(page).first().getByText("Used just now · 2 people in 30 days").waitFor();
    assert.match(await rows(page).first().innerText(), /Team lunch/);
    assert.equal(await page.getByRole("combobox", { name: "Order" }).inputValue(), "used");
    await page.goto(`${env.base.origin}/?tag=food`);
    await row(page, "Team lunch").waitFor();
    assert.equal(await rows(page).count(), 1);

    await button(page, "Show as cards").click();
    await page.reload();
    await button(page, "Show as a list").waitFor();
    for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
    for (const cards of [true, false]) {
      await page.setViewportSize({ width: 320, height: 700 });
      await row(page, "Team lunch").waitFor();
      await noSideScroll(page);
      if (cards) await button(page, "Show as a list").click();
    }
  });

  it("by keyboard alone, canvases are selected, archived, tagged, deleted and brought back", async () => {
    const bo = await target.signIn("bo@example.com");
    const ids: string[] = [];
    for (const title of ["A", "B", "C"]) ids.push(await make(bo, `Canvas ${title}`));
    const [a, b, c] = ids as [string, string, string];
    const { page } = await open(bo.email, "/?sort=title");
    await row(page, "Canvas A").focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(page), "Canvas B");
    await page.keyboard.press("Home");
    await page.keyboard.press("Space");
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByText("2 selected").waitFor();
    await assertAccessible(page);

    await button(page, "Archive").press("Enter");
    await row(page, "Canvas B").getByText("Archived").waitFor();
    await page.getByText("Archived 2 canvases.").waitFor();
    assert.equal((await read(bo, a)).publicationStatus, "archived");
    assert.equal((await read(bo, c)).publicationStatus, "draft");
    // The bar is gone, and the focus is in the list again.
    await page.locator(".canvas-row:focus").waitFor();
    await button(page, "Undo").press("Enter");
    await row(page, "Canvas B").getByText("Not online yet").waitFor();
    assert.equal((await read(bo, a)).publicationStatus, "draft");

    await row(page, "Canvas C").focus();
    await page.keyboard.press("Space");
    await button(page, "Add a tag").press("Enter");
    await page.getByLabel("Tag", { exact: true }).fill("weekly");
    await assertAccessible(page, "dark");
    await page.keyboard.press("Enter");
    await row(page, "Canvas C").getByText("#weekly").waitFor();
    assert.deepEqual((await read(bo, c)).tags, ["weekly"]);

    await row(page, "Canvas B").focus();
    await page.keyboard.press("Space");
    await button(page, "Delete").press("Enter");
    await row(page, "Canvas B").waitFor({ state: "detached" });
    assert.equal((await manage(target, bo, "GET", `/api/canvases/${b}`)).status, 404);
    await page.getByText("Moved to the trash").waitFor();
    await button(page, "Undo").last().press("Enter");
    await row(page, "Canvas B").waitFor();

    await row(page, "Canvas C").focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/canvases/${c}`);
  });

  it("an act that fails for one canvas says so, and is done for the others", async () => {
    const di = await target.signIn("di@example.com");
    const gone = await make(di, "Gone");
    await make(di, "Here");
    const { page } = await open(di.email);
    await row(page, "Gone").focus();
    await call(di, "DELETE", `/api/canvases/${gone}`);
    await page.keyboard.press("Control+a");
    await page.getByText("2 selected").waitFor();
    await button(page, "Archive").press("Enter");
    await page.getByRole("alert").getByText("Gone").waitFor();
    await page.getByRole("alert").getByText("1 act failed").waitFor();
    await row(page, "Here").getByText("Archived").waitFor();
    await page.getByText("1 selected").waitFor();
    for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
  });

  it("the trash says how long, and restores with a new address where the old one is taken", async () => {
    const cy = await target.signIn("cy@example.com");
    const id = await make(cy, "Sketch");
    const { slug } = await read(cy, id);
    await call(cy, "DELETE", `/api/canvases/${id}`);
    // The slug of a canvas that never had a version is free at once.
    await call(cy, "POST", "/api/canvases", { title: "Other", slug });
    const { page } = await open(cy.email, "/?list=trash");
    await row(page, "Sketch").getByText("30 days left").waitFor();
    for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
    await button(page, "Restore Sketch").press("Enter");
    const field = page.getByLabel("Name in the address");
    await field.waitFor();
    await assertAccessible(page);
    await field.fill(String(slug));
    await page.keyboard.press("Enter");
    await page.locator(".field-error").filter({ hasText: /./ }).waitFor();
    await field.fill("sketch-again");
    await page.keyboard.press("Enter");
    await page.getByText("The trash is empty").waitFor();
    assert.equal((await read(cy, id)).slug, "sketch-again");
  });

  it("of 10,000 canvases only those in view are in the document, and End leads to the last", async () => {
    const eve = await target.signIn("eve@example.com");
    const { id } = (await call(eve, "GET", "/api/me")) as { id: string };
    await env.db
      .run`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10000)
      insert into canvases (id, slug, title, owner_id, created_by, created_at, updated_at)
      select 'many-' || n, 'many-' || n, 'Canvas ' || (10000 + n), ${id}, ${id}, 0, n from numbers`;
    const { page } = await open(eve.email, "/?sort=title");
    await row(page, "Canvas 10001").focus();
    assert.ok((await rows(page).count()) <= 60);
    await page.keyboard.press("End");
    await page.locator(".canvas-row:focus").filter({ hasText: "Canvas 20000" }).waitFor();
    assert.ok((await rows(page).count()) <= 60);
    assert.equal(await page.getByRole("grid").getAttribute("aria-rowcount"), "10000");
    assert.equal(await row(page, "Canvas 20000").getAttribute("aria-rowindex"), "10000");
    await page.keyboard.press("PageUp");
    assert.equal(await focused(page), "Canvas 19992");
    await page.keyboard.press("Home");
    assert.equal(await focused(page), "Canvas 10001");
    await page.keyboard.press("Control+a");
    await page.getByText("10000 selected: at most 100 at a time").waitFor();
  });
});

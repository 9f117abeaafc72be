import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { fileScope } from "../packages/server/test/support/service.ts";
import { type Site, startSite } from "../packages/server/test/support/site.ts";

const scope = fileScope();
let site: Site;
let ada: Page;
const faults: string[][] = [];
/** The address of the publisher. */
const home = () => site.env.base.canvasUrl("publisher");

async function open(email: string): Promise<Page> {
  const opened = await openAs(await openBrowser(scope), home(), email);
  faults.push(opened.faults);
  return opened.page;
}

before(async () => {
  if (noBrowser) return;
  site = await startSite(scope, "subdomain", {
    example: "publisher",
    settings: { SERVICE_AUTHORING: "on" },
  });
  ada = await open("ada@example.com");
});

/** Opens the publisher as Ada, who has published nothing. All tests share the page. */
async function openPublisher(): Promise<Page> {
  await site.env.db.run`update canvases set deleted_at = 1000 where slug <> 'publisher'`;
  await ada.goto(home());
  await ada.getByText("Nothing is published yet.").waitFor();
  return ada;
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const item = (page: Page, title: string) =>
  page.locator(".item").filter({ has: page.getByRole("heading", { name: title, exact: true }) });
const says = (page: Page, text: string) =>
  page.getByRole("status").getByText(text, { exact: true }).waitFor();
const alerts = (page: Page, text: string) => page.getByRole("alert").getByText(text).waitFor();
const focuses = (page: Page, selector: string) =>
  page.waitForFunction(`document.activeElement.matches(${JSON.stringify(selector)})`);

interface Draft {
  title?: string;
  text?: string;
  look?: string;
  readers?: string;
  password?: string;
  slug?: string;
  until?: string;
}

/** Fills in the form fields for which the draft has a value, and clicks the button that publishes. */
async function publish(page: Page, { title, text, look, readers, password, slug, until }: Draft) {
  if (title !== undefined) await page.getByRole("textbox", { name: "Title" }).fill(title);
  if (text !== undefined) await page.getByLabel("Text", { exact: true }).fill(text);
  if (look !== undefined) await page.getByLabel(look, { exact: true }).check();
  if (readers !== undefined) await page.getByLabel(readers, { exact: true }).check();
  if (password !== undefined) await page.getByLabel("Password", { exact: true }).fill(password);
  if (slug !== undefined) await page.getByLabel("Address").fill(slug);
  if (until !== undefined) await page.getByLabel("Until when?").selectOption(until);
  await page.locator("#publish").click();
}

const addressOf = async (page: Page, title: string) =>
  `${await item(page, title).locator(".open").getAttribute("href")}`;

/** A title that would run a script in a page that did not escape it. */
const HOSTILE = `</title><script>document.documentElement.dataset.hacked = "yes"</script>"'&`;

test("two people: a page is published, read, changed and taken down", { skip: noBrowser }, async () => {
  const page = await openPublisher();
  const text = `Come at four.\n# What to bring\n- A <b>blanket</b>\n- ${HOSTILE}`;
  await publish(page, { title: HOSTILE, text, look: "Night", readers: "Everyone who signs in" });
  await says(page, `“${HOSTILE}” is published.`);
  await focuses(page, ".item .open");
  await item(page, HOSTILE).getByText("Published", { exact: true }).waitFor();
  await item(page, HOSTILE).getByText("Everyone who signs in").waitFor();
  const address = await addressOf(page, HOSTILE);

  const ben = await open("ben@example.com");
  // The list of the other person is empty, because that person has published nothing.
  await ben.getByText("Nothing is published yet.").waitFor();
  await ben.goto(address);
  await ben.getByRole("heading", { name: HOSTILE, exact: true }).waitFor();
  await ben.getByRole("listitem").getByText("A <b>blanket</b>", { exact: true }).waitFor();
  assert.equal(await ben.title(), HOSTILE);
  assert.equal(await ben.locator("script").count(), 0);
  assert.equal(await ben.evaluate("document.documentElement.dataset.hacked"), undefined);
  assert.equal(
    await ben.locator("meta[name=description]").getAttribute("content"),
    text.replace(/\s+/g, " ").slice(0, 160),
  );
  await assertAccessible(ben);

  await button(page, `Edit “${HOSTILE}”`).click();
  await focuses(page, "#form-title");
  assert.equal(await page.getByLabel("Text", { exact: true }).inputValue(), text);
  const preview = page.locator("#preview").contentFrame();
  await preview.getByRole("heading", { name: HOSTILE, exact: true }).waitFor();
  await publish(page, { title: "Garden", text: "Come at five.", look: "Meadow" });
  await says(page, "“Garden” is changed.");
  assert.equal(await page.locator(".item").count(), 1);
  await ben.goto(address);
  await ben.getByText("Come at five.").waitFor();
  await assertAccessible(page, "dark");

  await button(page, "Take down “Garden”").click();
  await button(page, "Keep").click();
  await button(page, "Take down “Garden”").click();
  await button(page, "Take down").click();
  await says(page, "“Garden” is taken down.");
  await item(page, "Garden").getByText("Taken down", { exact: true }).waitFor();
  await focuses(page, ".item .edit");
  assert.equal((await ben.goto(address))?.status(), 404);

  await button(page, "Edit “Garden”").click();
  await publish(page, { readers: "With a password", password: "open sesame" });
  await says(page, "“Garden” is changed.");
  await item(page, "Garden").getByText("Anyone with the link and the password").waitFor();
  await ben.goto(address);
  await ben.getByLabel("Password").fill("open sesame");
  await ben.keyboard.press("Enter");
  await ben.getByText("Come at five.").waitFor();
  await ben.context().close();
  assert.deepEqual(faults, [[], []]);
});

test("a conflict of two edits keeps one's own text, and either edit can be published", {
  skip: noBrowser,
}, async () => {
  const page = await openPublisher();
  await publish(page, { title: "Minutes", text: "First" });
  await item(page, "Minutes").waitFor();
  const other = await page.context().newPage();
  await other.goto(home());

  const change = async (each: Page, title: string, text: string) => {
    await button(each, `Edit “${title}”`).click();
    await each.getByLabel("Text", { exact: true }).fill(text);
  };
  await change(page, "Minutes", "Mine");
  await change(other, "Minutes", "Theirs");
  await publish(other, { title: "Minutes of May" });
  await says(other, "“Minutes of May” is changed.");
  await publish(page, {});
  await alerts(page, "“Minutes of May” was changed on");
  await focuses(page, "#mine");
  await page.getByText("What it says now").click();
  await page.getByText("Theirs", { exact: true }).waitFor();
  await assertAccessible(page);
  assert.equal(await page.getByLabel("Text", { exact: true }).inputValue(), "Mine");
  await button(page, "Publish mine instead").click();
  await says(page, "“Minutes” is changed.");

  await change(other, "Minutes of May", "Theirs again");
  await publish(other, {});
  await alerts(other, "“Minutes” was changed on");
  await button(other, "Take the other one").click();
  assert.equal(await other.getByLabel("Text", { exact: true }).inputValue(), "Mine");
  await publish(other, { text: "Both" });
  await says(other, "“Minutes” is changed.");
  await other.goto(await addressOf(other, "Minutes"));
  await other.getByText("Both").waitFor();
  await other.close();
});

test("a refusal says what a person can do", { skip: noBrowser }, async () => {
  const page = await openPublisher();
  const { db } = site.env;
  const title = "Notice";

  await publish(page, {});
  await alerts(page, "A page needs a title.");
  await focuses(page, "#title");
  await publish(page, { title });
  await alerts(page, "Write something first.");
  await publish(page, { text: "Text", readers: "With a password" });
  await alerts(page, "Choose a password first.");
  await focuses(page, "#password");
  await publish(page, { readers: "Only me", slug: "publisher" });
  await alerts(page, "This address is taken.");
  await focuses(page, "#slug");
  assert.equal(await page.locator(".item").count(), 0);

  // One deploy fails after its canvas was created. Another one fails after the settings of its canvas were saved.
  const fill = (bytes: number) =>
    db.run`insert into quotas (name, value) values ('bundles.bytes.person', ${bytes})`;
  const clear = () => db.run`delete from quotas where name = 'bundles.bytes.person'`;
  await fill(1);
  await publish(page, { slug: "" });
  await alerts(page, "the page is kept as a draft");
  await item(page, title).getByText("Draft", { exact: true }).waitFor();
  await clear();
  await button(page, "Publish changes").click();
  await says(page, `“${title}” is changed.`);
  assert.equal(await page.locator(".item").count(), 1);

  await button(page, `Edit “${title}”`).click();
  await fill(1);
  await publish(page, { title: "Second", text: "Second text" });
  await alerts(page, "readers still see the former page");
  await clear();
  await button(page, "Publish changes").click();
  await says(page, "“Second” is changed.");

  await db.run`update canvases set expires_at = 1000 where slug <> 'publisher'`;
  await page.reload();
  await item(page, "Second").getByText("Expired", { exact: true }).waitFor();
  await button(page, "Edit “Second”").click();
  await publish(page, { until: "For a week" });
  await item(page, "Second").getByText("Published", { exact: true }).waitFor();

  await button(page, "Edit “Second”").click();
  await db.run`update canvases set disabled_at = 1000 where slug <> 'publisher'`;
  await publish(page, { text: "Third" });
  await alerts(page, "An administrator has disabled this page.");
  await item(page, "Second").getByText("Disabled", { exact: true }).waitFor();
  assert.equal(await button(page, "Take down “Second”").isVisible(), false);

  await db.run`update canvases set disabled_at = null, deleted_at = 1000 where slug <> 'publisher'`;
  await publish(page, {});
  await alerts(page, "This page was deleted meanwhile.");
  await button(page, "Publish").click();
  await says(page, "“Second” is published.");
});

test("every refusal of the service has a message, some beside their field", async () => {
  const { href } = new URL("publisher/messages.js", import.meta.url);
  const messages: { explain(error: object): string; fieldOf(error: object): string | undefined } =
    await import(href);
  for (const [error, message, field] of [
    [{ code: "PUBLIC_NOT_ALLOWED" }, /^You may not publish links for anyone\./, "access"],
    [{ code: "INVALID_BODY", reason: "invalid_slug" }, /^An address has 3 to 63 small letters/, "slug"],
    [{ code: "SLUG_TAKEN" }, /^This address is taken\./, "slug"],
    [
      { code: "QUOTA_EXCEEDED", scope: "user_daily", limit: 20 },
      /^You have published 20 pages today/,
      undefined,
    ],
    [{ code: "QUOTA_EXCEEDED", scope: "user_total", limit: 200 }, /^You have published 200 pages/, undefined],
    [{ code: "PUBLISH_FAILED", id: "x" }, /the page is kept as a draft/, undefined],
    [{}, /^A part of this page is missing\./, undefined],
  ] as const) {
    assert.match(messages.explain(error), message);
    assert.equal(messages.fieldOf(error), field);
  }
});

test("by keyboard alone, on narrow and wide screens", { skip: noBrowser }, async () => {
  const page = await openPublisher();
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await press("Tab");
  await focuses(page, "#title");
  const long = "Donaudampfschifffahrtsgesellschaft".repeat(5);
  await page.keyboard.insertText(long);
  await press("Tab");
  await page.keyboard.insertText("By keyboard");
  await press("Tab", "ArrowRight", "Tab", "ArrowRight", "Tab", "Tab", "Tab");
  await focuses(page, "#save");
  await press("Tab");
  await focuses(page, "#publish");
  await press("Enter");
  await says(page, `“${long}” is published.`);
  assert.equal(await page.locator(".look.night input").isChecked(), true);
  await item(page, long).getByText("Everyone who signs in").waitFor();
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
  }
  await press("Tab", "Tab", "Enter");
  await focuses(page, "[value=no]");
  await press("Tab", "Enter");
  await says(page, `“${long}” is taken down.`);
});

test("while publishing is switched off, the page says so and still shows previews and saves files", {
  skip: noBrowser,
}, async () => {
  const page = await openPublisher();
  const { config, db } = site.env;
  Object.assign(config, { authoring: false });
  await page.reload();
  await alerts(page, "Publishing is switched off on this service.");
  await page.getByRole("textbox", { name: "Title" }).fill("Only a try");
  await page.locator("#preview").contentFrame().getByRole("heading", { name: "Only a try" }).waitFor();
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#publish").getAttribute("aria-disabled"), "true");
  assert.equal(await page.locator("#problem").textContent(), "");

  await button(page, "Save as a file").click();
  await alerts(page, "Write something first.");
  await page.getByLabel("Text", { exact: true }).fill(HOSTILE);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    button(page, "Save as a file").click(),
  ]);
  await says(page, "The page is saved as a file.");
  assert.equal(download.suggestedFilename(), "Only a try.html");
  const opened = await page.context().newPage();
  await opened.setContent(await readFile(await download.path(), "utf8"));
  assert.equal(await opened.title(), "Only a try");
  await opened.getByText(HOSTILE).waitFor();
  assert.equal(await opened.locator("html").getAttribute("data-hacked"), null);
  Object.assign(config, { authoring: true });

  await db.run`update canvases set authoring = 0 where slug = 'publisher'`;
  await page.reload();
  await alerts(page, "switched off for this canvas");
  await db.run`update canvases set authoring = 1 where slug = 'publisher'`;
  await button(page, "Try again").click();
  await page.getByText("Nothing is published yet.").waitFor();
  assert.deepEqual(faults, [[], []]);
});

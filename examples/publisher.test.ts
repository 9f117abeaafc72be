import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { startExample } from "../packages/server/test/support/service.ts";
import { startSite } from "../packages/server/test/support/site.ts";

const ON = { SERVICE_AUTHORING: "on" };
const { base, env } = await startExample({ after }, "publisher", ON);
const browser = noBrowser ? undefined : await openBrowser({ after });

/** Opens the publisher, signed in as the user with this e-mail address. */
async function openPublisher(email: string, address = `${base}/c/publisher/`) {
  const opened = await openAs(browser ?? assert.fail("no browser"), address, email);
  await opened.page.getByRole("heading", { name: "Your pages" }).waitFor();
  return opened;
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
  const ada = await openPublisher("ada@example.com");
  await ada.page.getByText("Nothing is published yet.").waitFor();
  await assertAccessible(ada.page);

  const text = `Come at four.\n# What to bring\n- A <b>blanket</b>\n- ${HOSTILE}`;
  await publish(ada.page, { title: HOSTILE, text, look: "Night", readers: "Everyone who signs in" });
  await says(ada.page, `“${HOSTILE}” is published.`);
  await focuses(ada.page, ".item .open");
  await item(ada.page, HOSTILE).getByText("Published", { exact: true }).waitFor();
  await item(ada.page, HOSTILE).getByText("Everyone who signs in").waitFor();
  const address = await addressOf(ada.page, HOSTILE);

  const ben = await openAs(browser ?? assert.fail(), address, "ben@example.com");
  await ben.page.getByRole("heading", { name: HOSTILE, exact: true }).waitFor();
  await ben.page.getByRole("listitem").getByText("A <b>blanket</b>", { exact: true }).waitFor();
  assert.equal(await ben.page.title(), HOSTILE);
  assert.equal(await ben.page.locator("script").count(), 0);
  assert.equal(await ben.page.evaluate("document.documentElement.dataset.hacked"), undefined);
  assert.equal(
    await ben.page.locator("meta[name=description]").getAttribute("content"),
    text.replace(/\s+/g, " ").slice(0, 160),
  );
  await assertAccessible(ben.page);
  // The list of the other person is empty, because that person has published nothing.
  await ben.page.goto(`${base}/c/publisher/`);
  await ben.page.getByText("Nothing is published yet.").waitFor();

  await button(ada.page, `Edit “${HOSTILE}”`).click();
  await focuses(ada.page, "#form-title");
  assert.equal(await ada.page.getByLabel("Text", { exact: true }).inputValue(), text);
  await ada.page
    .locator("#preview")
    .contentFrame()
    .getByRole("heading", { name: HOSTILE, exact: true })
    .waitFor();
  await publish(ada.page, { title: "Garden", text: "Come at five.", look: "Meadow" });
  await says(ada.page, "“Garden” is changed.");
  assert.equal(await ada.page.locator(".item").count(), 1);
  await ben.page.goto(address);
  await ben.page.getByText("Come at five.").waitFor();

  await button(ada.page, "Take down “Garden”").click();
  await button(ada.page, "Keep").click();
  await button(ada.page, "Take down “Garden”").click();
  await button(ada.page, "Take down").click();
  await says(ada.page, "“Garden” is taken down.");
  await item(ada.page, "Garden").getByText("Taken down", { exact: true }).waitFor();
  await focuses(ada.page, ".item .edit");
  assert.equal((await ben.page.goto(address))?.status(), 404);
  await assertAccessible(ada.page);

  await button(ada.page, "Edit “Garden”").click();
  await publish(ada.page, { readers: "With a password", password: "open sesame" });
  await says(ada.page, "“Garden” is changed.");
  await item(ada.page, "Garden").getByText("Anyone with the link and the password").waitFor();
  await ben.page.goto(address);
  await ben.page.getByLabel("Password").fill("open sesame");
  await ben.page.keyboard.press("Enter");
  await ben.page.getByText("Come at five.").waitFor();
  assert.deepEqual([...ada.faults, ...ben.faults], []);
});

test("a conflict of two edits keeps one's own text, and either edit can be published", {
  skip: noBrowser,
}, async () => {
  const { page, context, faults } = await openPublisher("cora@example.com");
  await publish(page, { title: "Minutes", text: "First" });
  await item(page, "Minutes").waitFor();
  const other = await context.newPage();
  await other.goto(page.url());

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
  assert.deepEqual(faults, []);
});

test("every refusal says what a person can do", { skip: noBrowser }, async () => {
  const { page, faults } = await openPublisher("dan@example.com");
  const { id: dan = "" } =
    (await env.db.get<{ id: string }>`select id from users where email = 'dan@example.com'`) ?? {};
  const title = "Notice";

  await publish(page, {});
  await alerts(page, "A page needs a title.");
  await focuses(page, "#title");
  await publish(page, { title });
  await alerts(page, "Write something first.");
  await publish(page, { text: "Text", readers: "With a password" });
  await alerts(page, "Choose a password first.");
  await focuses(page, "#password");

  await env.db.run`update users set can_publish_public = 0 where id = ${dan}`;
  await publish(page, { password: "sesame" });
  await alerts(page, "You may not publish links for anyone.");
  await focuses(page, "[name=access]:checked");
  await env.db.run`update users set can_publish_public = 1 where id = ${dan}`;

  await publish(page, { readers: "Only me", slug: "No!" });
  await alerts(page, "An address has 3 to 63 small letters");
  await publish(page, { slug: "publisher" });
  await alerts(page, "This address is taken.");
  await focuses(page, "#slug");
  await assertAccessible(page);
  assert.equal(await page.locator(".item").count(), 0);

  const today = Math.floor(Date.now() / 86_400_000);
  for (const [day, text] of [
    [today, "You have published 20 pages today"],
    [today - 1, "You have published 200 pages"],
  ] as const) {
    await env.db
      .run`insert into authored_days (user_id, day, canvases) values (${dan}, ${day}, ${day === today ? 20 : 200})`;
    await publish(page, { slug: "" });
    await alerts(page, text);
    await env.db.run`delete from authored_days where user_id = ${dan}`;
  }

  // One deploy fails after its canvas was created. Another one fails after the settings of its canvas were saved.
  const fill = (bytes: number) =>
    env.db.run`insert into quotas (name, value) values ('bundles.bytes.person', ${bytes})`;
  const clear = () => env.db.run`delete from quotas where name = 'bundles.bytes.person'`;
  await fill(1);
  await publish(page, {});
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
  await item(page, "Second").waitFor();
  await clear();
  await button(page, "Publish changes").click();
  await says(page, "“Second” is changed.");

  await env.db.run`update canvases set expires_at = 1000 where owner_id = ${dan}`;
  await page.reload();
  await item(page, "Second").getByText("Expired", { exact: true }).waitFor();
  await button(page, "Edit “Second”").click();
  await publish(page, { until: "For a week" });
  await item(page, "Second").getByText("Published", { exact: true }).waitFor();

  await button(page, "Edit “Second”").click();
  await env.db.run`update canvases set disabled_at = 1000 where owner_id = ${dan}`;
  await publish(page, { text: "Third" });
  await alerts(page, "An administrator has disabled this page.");
  await item(page, "Second").getByText("Disabled", { exact: true }).waitFor();
  assert.equal(await button(page, "Take down “Second”").isVisible(), false);

  await env.db.run`update canvases set disabled_at = null, deleted_at = 1000 where owner_id = ${dan}`;
  await publish(page, {});
  await alerts(page, "This page was deleted meanwhile.");
  await button(page, "Publish").click();
  await says(page, "“Second” is published.");
  await page.goto(await addressOf(page, "Second"));
  await page.getByText("Third", { exact: true }).waitFor();
  assert.deepEqual(faults, []);
});

test("by keyboard alone, on narrow and wide screens", { skip: noBrowser }, async () => {
  const { page, faults } = await openPublisher("eve@example.com");
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await press("Tab");
  await focuses(page, "#title");
  const long = "Donaudampfschifffahrtsgesellschaft".repeat(5);
  await page.keyboard.type(long);
  await press("Tab");
  await page.keyboard.type("By keyboard");
  await press("Tab", "ArrowRight", "Tab", "ArrowRight", "Tab", "Tab", "Tab");
  await focuses(page, "#save");
  await press("Tab");
  await focuses(page, "#publish");
  await press("Enter");
  await says(page, `“${long}” is published.`);
  assert.equal(await page.locator(".look.night input").isChecked(), true);
  await item(page, long).getByText("Everyone who signs in").waitFor();
  for (const width of [320, 768, 1280, 2560]) {
    await page.setViewportSize({ width, height: 800 });
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
  }
  await press("Tab", "Tab", "Enter");
  await focuses(page, "[value=no]");
  await press("Tab", "Enter");
  await says(page, `“${long}” is taken down.`);
  assert.deepEqual(faults, []);
});

test("while publishing is switched off, the page says so and still shows previews and saves files", {
  skip: noBrowser,
}, async (t) => {
  const off = await startExample(t, "publisher");
  const { page, faults } = await openAs(
    browser ?? assert.fail(),
    `${off.base}/c/publisher/`,
    "viewer@example.com",
  );
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
  await assertAccessible(page);
  assert.deepEqual(faults, []);

  await env.db.run`update canvases set authoring = 0 where slug = 'publisher'`;
  const here = await openAs(browser ?? assert.fail(), `${base}/c/publisher/`, "viewer@example.com");
  await alerts(here.page, "switched off for this canvas");
  await env.db.run`update canvases set authoring = 1 where slug = 'publisher'`;
  await button(here.page, "Try again").click();
  await here.page.getByText("Nothing is published yet.").waitFor();
});

test("in subdomain mode a page has an origin of its own", { skip: noBrowser }, async (t) => {
  const site = await startSite(t, "subdomain", { example: "publisher", settings: ON });
  const { page, faults } = await openPublisher("ada@example.com", site.env.base.canvasUrl("publisher"));
  await publish(page, { title: "Of its own", text: "Here", slug: "of-its-own" });
  await says(page, "“Of its own” is published.");
  await button(page, "Edit “Of its own”").click();
  await publish(page, { text: "There" });
  await says(page, "“Of its own” is changed.");
  assert.equal(await addressOf(page, "Of its own"), site.env.base.canvasUrl("of-its-own"));
  await page.goto(site.env.base.canvasUrl("of-its-own"));
  await page.getByText("There", { exact: true }).waitFor();
  await page.goBack();
  await button(page, "Take down “Of its own”").click();
  await button(page, "Take down").click();
  await says(page, "“Of its own” is taken down.");
  assert.deepEqual(faults, []);
});

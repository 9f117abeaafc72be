import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { startExample } from "../packages/server/test/support/service.ts";
import { startSite } from "../packages/server/test/support/site.ts";

const card = (page: Page, column: string, text: string) =>
  page.getByRole("region", { name: column, exact: true }).getByRole("listitem").filter({ hasText: text });

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

const add = async (page: Page, text: string) => {
  await page.getByLabel("A new idea").fill(text);
  await button(page, "Add card").click();
  await card(page, "Idea", text).waitFor();
};

const edit = async (page: Page, text: string, into: string) => {
  await button(page, `Edit “${text}”`).click();
  await page.getByLabel("Text of the card").fill(into);
  await button(page, "Save").click();
};

/** Waits until the element with this text has the focus. */
const focuses = (page: Page, words: RegExp) =>
  page.waitForFunction(`${words}.test(document.activeElement.innerText)`);

const sees = (page: Page, column: string, text: string) => card(page, column, text).waitFor();

const says = (page: Page, text: string) => page.getByRole("status").getByText(text).waitFor();

test("three people edit a board and see each other's changes without reloading", {
  skip: noBrowser,
}, async (t) => {
  const { base } = await startExample(t, "board");
  const browser = await openBrowser(t);
  const address = `${base}/c/board/`;
  const owner = await openAs(browser, address, "dev@example.com");
  await owner.page.getByText("No ideas yet.").waitFor();
  await assertAccessible(owner.page);
  const editor = await openAs(browser, address, "editor@example.com");
  const viewer = await openAs(browser, address, "viewer@example.com");

  await owner.page.evaluate(
    "window.told = []; easel.kv.collection('cards').watch((change) => told.push(change.op))",
  );
  await button(viewer.page, "Add card").click();
  await viewer.page.getByText("Write a few words first.").waitFor();
  await add(viewer.page, "Mend <b>the</b> lamp");
  await card(viewer.page, "Idea", "by you").waitFor();
  await says(owner.page, "New: Mend <b>the</b> lamp is in Idea.");
  await card(owner.page, "Idea", "by Viewer").waitFor();
  await owner.page.waitForFunction("told.includes('set')");

  await button(owner.page, "Move to Doing “Mend <b>the</b> lamp”").focus();
  await owner.page.keyboard.press("Enter");
  await says(owner.page, "Mend <b>the</b> lamp is in Doing now.");
  await focuses(owner.page, /Move to\s+Done/);
  await owner.page.keyboard.press("Enter");
  await card(owner.page, "Done", "Mend <b>the</b> lamp").waitFor();
  await focuses(owner.page, /Move to\s+Doing/);
  await says(viewer.page, "Mend <b>the</b> lamp is in Done.");
  await card(viewer.page, "Done", "by you").waitFor();

  await edit(editor.page, "Mend <b>the</b> lamp", "Mend both lamps");
  await says(viewer.page, "Changed: Mend both lamps.");
  await card(viewer.page, "Done", "Mend both lamps").waitFor();

  for (const { page } of [owner, editor, viewer]) {
    await page.reload();
    await card(page, "Done", "Mend both lamps").waitFor();
  }
  await assertAccessible(viewer.page);
  await button(owner.page, "Edit “Mend both lamps”").click();
  await button(owner.page, "Remove card").click();
  await says(owner.page, "Card removed.");
  await focuses(owner.page, /Undo/);
  await says(viewer.page, "Removed: Mend both lamps.");
  await viewer.page.getByText("Nothing is done yet.").waitFor();
  await button(owner.page, "Undo the removal").click();
  await sees(viewer.page, "Done", "by Dev");
  assert.deepEqual([...owner.faults, ...editor.faults, ...viewer.faults], []);
});

test("a concurrent change is not overwritten or restored without confirmation", {
  skip: noBrowser,
}, async (t) => {
  const { base } = await startExample(t, "board");
  const browser = await openBrowser(t);
  const address = `${base}/c/board/`;
  const one = await openAs(browser, address, "dev@example.com");
  const other = await openAs(browser, address, "viewer@example.com");
  await add(one.page, "Paint the fence");
  await sees(other.page, "Idea", "Paint the fence");

  // A concurrent move and edit are both kept.
  await button(one.page, "Edit “Paint the fence”").click();
  await button(other.page, "Move to Doing “Paint the fence”").click();
  await sees(one.page, "Doing", "Paint the fence");
  await one.page.getByLabel("Text of the card").fill("Paint the fence green");
  await button(one.page, "Save").click();
  await sees(other.page, "Doing", "Paint the fence green");

  const dialog = one.page.getByRole("dialog");
  await edit(one.page, "Paint the fence green", "Paint the fence red");
  await button(one.page, "Edit “Paint the fence red”").click();
  await sees(other.page, "Doing", "Paint the fence red");
  await edit(other.page, "Paint the fence red", "Paint the fence blue");
  await sees(other.page, "Doing", "Paint the fence blue");
  await one.page.getByLabel("Text of the card").fill("Paint the fence white");
  await button(one.page, "Save").click();
  await dialog.getByText("It says: “Paint the fence blue”.").waitFor();
  await button(one.page, "Save").click();
  await sees(other.page, "Doing", "Paint the fence white");

  await button(one.page, "Edit “Paint the fence white”").click();
  await button(other.page, "Edit “Paint the fence white”").click();
  await button(other.page, "Remove card").click();
  await other.page.getByText("Card removed.").first().waitFor();
  await one.page.getByLabel("Text of the card").fill("Paint the door");
  await button(one.page, "Save").click();
  await dialog.getByText("Somebody has removed this card meanwhile. Save again to add it anew.").waitFor();
  await button(one.page, "Save").click();
  await sees(other.page, "Doing", "Paint the door");
  await focuses(one.page, /Edit/);

  await button(one.page, "Edit “Paint the door”").click();
  await one.page.evaluate("easel.kv.collection('cards').clear()");
  await one.page.locator(".card").waitFor({ state: "detached" });
  await button(one.page, "Cancel").click();
  await focuses(one.page, /^Doing$/);
  await add(one.page, "Paint the door");
  await sees(other.page, "Idea", "Paint the door");

  // Moving a card that somebody else removes meanwhile does not restore it.
  await other.page.route(/\/collections\/cards\/[^/]+$/, async (route) => {
    await one.page.evaluate("easel.kv.collection('cards').clear()");
    await route.continue();
  });
  await button(other.page, "Move to Doing “Paint the door”").click();
  await other.page.getByRole("alert").getByText("Somebody has removed this card meanwhile.").waitFor();
  await card(other.page, "Doing", "Paint the door").waitFor({ state: "detached" });
  await other.page.getByText("Paint the door", { exact: true }).waitFor({ state: "detached" });
  assert.deepEqual([...one.faults, ...other.faults], []);
});

/** Holds back all requests for cards; returns a function that releases them. */
async function hold(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/collections/cards/*", async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

test("while the service is slow, a dialog changes and removes only its own card", {
  skip: noBrowser,
}, async (t) => {
  const { base } = await startExample(t, "board");
  const { page, faults } = await openAs(await openBrowser(t), `${base}/c/board/`, "viewer@example.com");
  for (const text of ["First", "Second", "Third"]) await add(page, text);
  const words = page.getByLabel("Text of the card");

  const goOn = await hold(page);
  await button(page, "Move to Doing “Third”").click();
  await edit(page, "First", "First, better");
  await button(page, "Cancel").click();
  await button(page, "Edit “Second”").click();
  await words.fill("Second, half writ");
  goOn();
  await card(page, "Idea", "First, better").waitFor();
  assert.equal(await words.inputValue(), "Second, half writ");
  await button(page, "Cancel").click();
  await card(page, "Idea", "Second").waitFor();
  await focuses(page, /Edit/);

  await page.unrouteAll();
  const letGo = await hold(page);
  await button(page, "Move to Idea “Third”").click();
  await button(page, "Edit “First, better”").click();
  await button(page, "Remove card").click();
  await page.keyboard.press("Escape");
  await button(page, "Edit “Second”").click();
  letGo();
  await card(page, "Idea", "Card removed.").waitFor();
  await page.reload();
  await card(page, "Idea", "Second").waitFor();
  await page.getByText("First, better", { exact: true }).waitFor({ state: "detached" });
  assert.deepEqual(faults, []);
});

test("without a network a move is reverted, and works again when the network is back", {
  skip: noBrowser,
}, async (t) => {
  const { base } = await startExample(t, "board");
  const { page, context, faults } = await openAs(
    await openBrowser(t),
    `${base}/c/board/`,
    "viewer@example.com",
  );
  await add(page, "Sweep the yard");
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 3_600_000);
  await context.setOffline(true);
  await button(page, "Move to Doing “Sweep the yard”").click();
  const message = page.locator("#message").getByText("could not be reached");
  await message.waitFor();
  await card(page, "Idea", "Sweep the yard").waitFor();

  await context.setOffline(false);
  await page.keyboard.press("Shift");
  await message.waitFor({ state: "detached" });
  await button(page, "Move to Doing “Sweep the yard”").click();
  await card(page, "Doing", "Sweep the yard").waitFor();
  assert.deepEqual(faults, []);
});

test("a card beyond the end of a long board is not reported as removed, or as new when it comes back", {
  skip: noBrowser,
}, async (t) => {
  const { base } = await startExample(t, "board");
  const { page } = await openAs(await openBrowser(t), `${base}/c/board/`, "viewer@example.com");
  const record = (id: number) => ({
    id: `${id}`,
    authorId: "x",
    value: { text: `Card ${id}` },
    updatedAt: id,
  });
  /** Makes the service list 300 cards, the newest first, and the page read them. */
  const shows = async (...newest: number[]) => {
    const cards = [...newest, ...Array.from({ length: 300 - newest.length }, (_, index) => 500 - index)];
    const json = { entries: cards.map(record), nextCursor: "more" };
    await page.route("**/collections/cards?*", (route) => route.fulfill({ json }));
    await page.evaluate("dispatchEvent(new Event('online'))");
  };
  await page.route("**/collections/cards?*", (route) => route.abort());
  await page.reload();
  await page.locator("#failure").waitFor();
  await shows();
  await card(page, "Idea", "Card 500").waitFor();
  const news = (text: string) => page.getByRole("status").getByText(text, { exact: true }).waitFor();
  await page.locator("#note").waitFor();
  // Card 201 is now beyond the end, and comes back when card 501 is removed.
  await page.evaluate("document.querySelector('#failure').hidden = false");
  await shows(501);
  await news("New: Card 501 is in Idea.");
  await page.evaluate("document.querySelector('#failure').hidden = false");
  await shows();
  await news("Removed: Card 501.");
});

test("in subdomain mode, with a mouse, and without its policy", { skip: noBrowser }, async (t) => {
  const { env } = await startSite(t, "subdomain", { example: "board" });
  const { page, faults } = await openAs(
    await openBrowser(t),
    env.base.canvasUrl("board"),
    "viewer@example.com",
  );
  await add(page, "Plant a tree");
  const written = page.waitForResponse((response) => response.request().method() === "PUT");
  await card(page, "Idea", "Plant a tree").dragTo(page.getByRole("region", { name: "Done", exact: true }));
  await says(page, "Plant a tree is in Done now.");
  assert.equal((await written).status(), 200);
  await page.reload();
  await card(page, "Done", "Plant a tree").waitFor();

  const canvas = await env.db.get<{ runtime_policy: string; runtime_policy_revision: string }>`
    select runtime_policy, runtime_policy_revision from canvases where slug = 'board'`;
  await env.db
    .run`update canvases set runtime_policy = null, runtime_policy_revision = null where slug = 'board'`;
  await page.reload();
  const failure = page.getByRole("alert").filter({ hasText: "has no collection “cards”" });
  await failure.waitFor();
  await assertAccessible(page);
  assert.equal(await button(page, "Add card").isVisible(), false);
  await env.db.run`update canvases set runtime_policy = ${canvas?.runtime_policy ?? null},
    runtime_policy_revision = ${canvas?.runtime_policy_revision ?? null} where slug = 'board'`;
  await failure.getByRole("button", { name: "Try again" }).click();
  await card(page, "Done", "Plant a tree").waitFor();
  assert.deepEqual(faults, []);
});

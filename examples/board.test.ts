import assert from "node:assert/strict";
import { before, beforeEach, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { fileScope } from "../packages/server/test/support/service.ts";
import { type Site, startSite } from "../packages/server/test/support/site.ts";

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

/** Holds back all requests for cards; returns a function that releases them. */
async function hold(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/collections/cards/*", async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

describe("two people at a board, in subdomain mode", { skip: noBrowser }, () => {
  const scope = fileScope();
  let env: Site["env"];
  let owner: Page;
  let viewer: Page;
  const faults: string[][] = [];

  before(async () => {
    ({ env } = await startSite(scope, "subdomain", {
      example: "board",
      settings: { SERVICE_REALTIME_CONNECTIONS_PER_CANVAS: "3" },
    }));
    const browser = await openBrowser(scope);
    const address = env.base.canvasUrl("board");
    for (const name of ["dev", "viewer"]) {
      const opened = await openAs(browser, address, `${name}@example.com`);
      faults.push(opened.faults);
      if (name === "dev") owner = opened.page;
      else viewer = opened.page;
    }
  });

  beforeEach(async () => {
    await owner.evaluate("easel.kv.collection('cards').clear()");
    for (const page of [owner, viewer]) await page.getByText("No ideas yet.").waitFor();
  });

  test("each sees the other's changes without reloading", async () => {
    await assertAccessible(owner, "dark");
    await button(viewer, "Add card").click();
    await viewer.getByText("Write a few words first.").waitFor();
    await add(viewer, "Mend <b>the</b> lamp");
    await card(viewer, "Idea", "by you").waitFor();
    await says(owner, "New: Mend <b>the</b> lamp is in Idea.");
    await card(owner, "Idea", "by Viewer").waitFor();

    await button(owner, "Move to Doing “Mend <b>the</b> lamp”").focus();
    await owner.keyboard.press("Enter");
    await says(owner, "Mend <b>the</b> lamp is in Doing now.");
    await focuses(owner, /Move to\s+Done/);
    await owner.keyboard.press("Enter");
    await card(owner, "Done", "Mend <b>the</b> lamp").waitFor();
    await focuses(owner, /Move to\s+Doing/);
    await says(viewer, "Mend <b>the</b> lamp is in Done.");

    await edit(owner, "Mend <b>the</b> lamp", "Mend both lamps");
    await says(viewer, "Changed: Mend both lamps.");
    await card(viewer, "Done", "by you").waitFor();
    await viewer.reload();
    await sees(viewer, "Done", "Mend both lamps");
    await assertAccessible(viewer);

    await button(owner, "Edit “Mend both lamps”").click();
    await button(owner, "Remove card").click();
    await says(owner, "Card removed.");
    await focuses(owner, /Undo/);
    await says(viewer, "Removed: Mend both lamps.");
    await viewer.getByText("Nothing is done yet.").waitFor();
    await button(owner, "Undo the removal").click();
    await sees(viewer, "Done", "by Dev");

    const written = viewer.waitForResponse((response) => response.request().method() === "PUT");
    await card(viewer, "Done", "Mend both lamps").dragTo(
      viewer.getByRole("region", { name: "Doing", exact: true }),
    );
    await says(viewer, "Mend both lamps is in Doing now.");
    assert.equal((await written).status(), 200);
    await sees(owner, "Doing", "Mend both lamps");
    assert.deepEqual(faults, [[], []]);
  });

  test("a concurrent change is not overwritten or restored without confirmation", async () => {
    await add(owner, "Paint the fence");
    await sees(viewer, "Idea", "Paint the fence");

    // A concurrent move and edit are both kept.
    await button(owner, "Edit “Paint the fence”").click();
    await button(viewer, "Move to Doing “Paint the fence”").click();
    await sees(owner, "Doing", "Paint the fence");
    await edit(viewer, "Paint the fence", "Paint the fence blue");
    await sees(viewer, "Doing", "Paint the fence blue");
    const dialog = owner.getByRole("dialog");
    await owner.getByLabel("Text of the card").fill("Paint the fence white");
    await button(owner, "Save").click();
    await dialog.getByText("It says: “Paint the fence blue”.").waitFor();
    await button(owner, "Save").click();
    await sees(viewer, "Doing", "Paint the fence white");

    await button(owner, "Edit “Paint the fence white”").click();
    await viewer.evaluate("easel.kv.collection('cards').clear()");
    await owner.locator(".card").waitFor({ state: "detached" });
    await owner.getByLabel("Text of the card").fill("Paint the door");
    await button(owner, "Save").click();
    await dialog.getByText("Somebody has removed this card meanwhile. Save again to add it anew.").waitFor();
    await button(owner, "Save").click();
    await sees(viewer, "Doing", "Paint the door");
    await focuses(owner, /Edit/);

    // Moving a card that somebody else removes meanwhile does not restore it.
    await viewer.route(/\/collections\/cards\/[^/]+$/, async (route) => {
      await owner.evaluate("easel.kv.collection('cards').clear()");
      await route.continue();
    });
    await button(viewer, "Move to Done “Paint the door”").click();
    await viewer.getByRole("alert").getByText("Somebody has removed this card meanwhile.").waitFor();
    await viewer.getByText("Paint the door", { exact: true }).waitFor({ state: "detached" });
    await viewer.unrouteAll();
    assert.deepEqual(faults, [[], []]);
  });

  test("while the service is slow, a dialog changes and removes only its own card", async () => {
    for (const text of ["First", "Second", "Third"]) await add(viewer, text);
    const words = viewer.getByLabel("Text of the card");
    const goOn = await hold(viewer);
    await button(viewer, "Move to Doing “Third”").click();
    await edit(viewer, "First", "First, better");
    await button(viewer, "Cancel").click();
    await button(viewer, "Edit “Second”").click();
    await words.fill("Second, half writ");
    goOn();
    await sees(viewer, "Idea", "First, better");
    assert.equal(await words.inputValue(), "Second, half writ");
    await button(viewer, "Cancel").click();
    await sees(viewer, "Idea", "Second");
    await focuses(viewer, /Edit/);
    await viewer.unrouteAll();
  });

  test("a card beyond the end of a long board is not reported as removed, or as new when it comes back", async () => {
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
      await viewer.route("**/collections/cards?*", (route) => route.fulfill({ json }));
      await viewer.evaluate("dispatchEvent(new Event('online'))");
    };
    const news = (text: string) => viewer.getByRole("status").getByText(text, { exact: true }).waitFor();
    await viewer.route("**/collections/cards?*", (route) => route.abort());
    await viewer.reload();
    await viewer.locator("#failure").waitFor();
    await shows();
    await sees(viewer, "Idea", "Card 500");
    await viewer.locator("#note").waitFor();
    // Card 201 is now beyond the end, and comes back when card 501 is removed.
    await viewer.evaluate("document.querySelector('#failure').hidden = false");
    await shows(501);
    await news("New: Card 501 is in Idea.");
    await viewer.evaluate("document.querySelector('#failure').hidden = false");
    await shows();
    await news("Removed: Card 501.");
    await viewer.unrouteAll();
    await viewer.reload();
  });

  test("a page for which the canvas has no connection is told, and works", async () => {
    const [third, late] = [await owner.context().newPage(), await owner.context().newPage()];
    for (const page of [third, late]) {
      await page.goto(env.base.canvasUrl("board"));
      await page.getByText("No ideas yet.").waitFor();
    }
    await late.getByRole("alert").getByText("What others change appears here every half minute.").waitFor();
    await add(late, "Feed the fish");
    await sees(viewer, "Idea", "Feed the fish");
    await late.getByRole("alert").getByText("Many people have this page open.").waitFor();
    await assertAccessible(late);
    for (const page of [third, late]) await page.close();
  });

  test("without its policy, and without a network, the page says what is wrong", async () => {
    await add(viewer, "Sweep the yard");
    const canvas = await env.db.get<{ runtime_policy: string; runtime_policy_revision: string }>`
      select runtime_policy, runtime_policy_revision from canvases where slug = 'board'`;
    await env.db
      .run`update canvases set runtime_policy = null, runtime_policy_revision = null where slug = 'board'`;
    await viewer.reload();
    const failure = viewer.getByRole("alert").filter({ hasText: "has no collection “cards”" });
    await failure.waitFor();
    assert.equal(await button(viewer, "Add card").isVisible(), false);
    await env.db.run`update canvases set runtime_policy = ${canvas?.runtime_policy ?? null},
      runtime_policy_revision = ${canvas?.runtime_policy_revision ?? null} where slug = 'board'`;
    await failure.getByRole("button", { name: "Try again" }).click();
    await sees(viewer, "Idea", "Sweep the yard");

    await viewer.clock.install();
    await viewer.clock.pauseAt(Date.now() + 3_600_000);
    await viewer.context().setOffline(true);
    await button(viewer, "Move to Doing “Sweep the yard”").click();
    const message = viewer.locator("#message").getByText("could not be reached");
    await message.waitFor();
    await sees(viewer, "Idea", "Sweep the yard");
    await viewer.context().setOffline(false);
    await viewer.keyboard.press("Shift");
    await message.waitFor({ state: "detached" });
    await button(viewer, "Move to Doing “Sweep the yard”").click();
    await sees(viewer, "Doing", "Sweep the yard");
    assert.deepEqual(faults, [[], []]);
  });
});

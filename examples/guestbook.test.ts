import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { startExample } from "../packages/server/test/support/service.ts";

test("two people sign the guestbook and see each other's entries after a reload", {
  skip: noBrowser,
}, async (t) => {
  const { base } = await startExample(t, "guestbook");
  const browser = await openBrowser(t);
  const address = `${base}/c/guestbook/`;
  const owner = await openAs(browser, address, "dev@example.com");
  const editor = await openAs(browser, address, "editor@example.com");

  for (const [{ page }, text] of [
    [owner, "Hello from the owner"],
    [editor, "Hello from the editor <b>in bold</b>"],
  ] as const) {
    await page.getByLabel("Your entry").fill(text);
    await page.getByRole("button", { name: "Sign the book" }).click();
    await page.getByRole("listitem").filter({ hasText: text }).waitFor();
  }

  for (const { page } of [owner, editor]) {
    await page.reload();
    await page.getByText("Hello from the owner").waitFor();
    const texts = await page.locator("#entries .text").allTextContents();
    assert.deepEqual(texts, ["Hello from the editor <b>in bold</b>", "Hello from the owner"]);
  }

  const viewer = await openAs(browser, address, "viewer@example.com");
  await viewer.page.getByText("Hello from the owner").waitFor();
  assert.equal(await viewer.page.getByLabel("Your entry").isVisible(), false);
  await viewer.page.getByText("The owner of this canvas can make you an editor.").waitFor();
  await assertAccessible(viewer.page);
  await assertAccessible(owner.page);
  assert.deepEqual([...owner.faults, ...editor.faults, ...viewer.faults], []);
});

test("a draft is kept for its author alone", { skip: noBrowser }, async (t) => {
  const { base } = await startExample(t, "guestbook");
  const browser = await openBrowser(t);
  const address = `${base}/c/guestbook/`;
  const owner = await openAs(browser, address, "dev@example.com");
  const editor = await openAs(browser, address, "editor@example.com");
  const saved = owner.page.waitForResponse(
    (response) => response.url().endsWith("/kv/user/draft") && response.request().method() === "PUT",
  );
  await owner.page.getByLabel("Your entry").fill("Not finished");
  assert.equal((await saved).status(), 200);
  for (const [{ page }, draft] of [
    [owner, "Not finished"],
    [editor, ""],
  ] as const) {
    const read = page.waitForResponse((response) => response.url().endsWith("/kv/user/draft"));
    await page.reload();
    await (await read).finished();
    await page.getByRole("button", { name: "Sign the book" }).waitFor();
    assert.equal(await page.getByLabel("Your entry").inputValue(), draft);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { startExample } from "../packages/server/test/support/service.ts";

const sign = async (page: Page, text: string) => {
  await page.getByLabel("Your entry").fill(text);
  await page.getByRole("button", { name: "Sign the book" }).click();
};

const entry = (page: Page, text: string) => page.locator(".entry", { hasText: text });

test("everyone signs the guestbook, sees the others sign it, and changes only what is theirs", {
  skip: noBrowser,
}, async (t) => {
  const { base } = await startExample(t, "guestbook");
  const browser = await openBrowser(t);
  const address = `${base}/c/guestbook/`;
  const owner = await openAs(browser, address, "dev@example.com");
  const viewer = await openAs(browser, address, "viewer@example.com");

  await sign(viewer.page, "Hello from the viewer <b>in bold</b>");
  await entry(owner.page, "Hello from the viewer <b>in bold</b>")
    .getByText("Viewer", { exact: true })
    .waitFor();
  await sign(owner.page, "Hello from the owner");
  await entry(viewer.page, "Hello from the owner").getByText("Dev", { exact: true }).waitFor();
  assert.deepEqual(await viewer.page.locator("#entries .text").allTextContents(), [
    "Hello from the owner",
    "Hello from the viewer <b>in bold</b>",
  ]);

  await viewer.page.getByRole("button", { name: "Edit the entry by Viewer" }).click();
  await viewer.page.getByLabel("Text of the entry").fill("Goodbye from the viewer");
  await viewer.page.getByRole("button", { name: "Save" }).click();
  for (const { page } of [owner, viewer]) await entry(page, "Goodbye from the viewer").waitFor();
  assert.equal(await viewer.page.getByRole("button", { name: /(Edit|Remove) the entry by Dev/ }).count(), 0);

  const dialog = owner.page.getByRole("dialog");
  await owner.page.getByRole("button", { name: "Remove the entry by Viewer" }).click();
  await dialog.getByRole("button", { name: "Keep" }).click();
  await owner.page.getByRole("button", { name: "Remove the entry by Viewer" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  for (const { page } of [owner, viewer])
    await entry(page, "Goodbye from the viewer").waitFor({ state: "detached" });
  await entry(viewer.page, "Hello from the owner").waitFor();

  await assertAccessible(viewer.page);
  await assertAccessible(owner.page, "dark");
  assert.deepEqual([...owner.faults, ...viewer.faults], []);

  // A draft is kept for its author alone.
  const saved = owner.page.waitForResponse(
    (response) => response.url().endsWith("/kv/user/draft") && response.request().method() === "PUT",
  );
  await owner.page.getByLabel("Your entry").fill("Not finished");
  assert.equal((await saved).status(), 200);
  for (const [{ page }, draft] of [
    [owner, "Not finished"],
    [viewer, ""],
  ] as const) {
    await page.reload();
    await page.getByRole("button", { name: "Sign the book" }).waitFor();
    assert.equal(await page.getByLabel("Your entry").inputValue(), draft);
  }
});

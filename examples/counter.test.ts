import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { startSite } from "../packages/server/test/support/site.ts";

const shows = (page: Page, counter: "together" | "yours", number: string) =>
  page.locator(`#${counter} output`).getByText(number, { exact: true }).waitFor({ state: "attached" });

const click = async (page: Page, counter: "together" | "yours", times: number) => {
  const counted = page.waitForResponse((response) => response.url().endsWith("/increment"));
  for (let n = 0; n < times; n++) await page.locator(`#${counter} .more`).click();
  assert.equal((await counted).status(), 200);
};

test("people count together and separately, and see the others count", { skip: noBrowser }, async (t) => {
  const { env } = await startSite(t, "path", { example: "counter" });
  const browser = await openBrowser(t);
  const address = env.base.canvasUrl("counter");
  const owner = await openAs(browser, address, "dev@example.com");
  const viewer = await openAs(browser, address, "viewer@example.com");
  const everyone = [owner, viewer];

  await click(viewer.page, "together", 3);
  for (const { page } of everyone) await shows(page, "together", "3");
  await click(owner.page, "together", 2);
  for (const { page } of everyone) await shows(page, "together", "5");
  await click(viewer.page, "yours", 1);
  await shows(viewer.page, "yours", "1");
  await shows(owner.page, "yours", "0");

  assert.equal(await viewer.page.getByRole("button", { name: "Reset the shared number" }).count(), 0);
  await owner.page.getByRole("button", { name: "Reset the shared number" }).click();
  await shows(viewer.page, "together", "0");
  await click(viewer.page, "together", 1);
  await shows(owner.page, "together", "1");
  await owner.page.getByRole("button", { name: "Undo the reset" }).click();
  for (const { page } of everyone) await shows(page, "together", "6");

  await assertAccessible(viewer.page);
  await assertAccessible(owner.page, "dark");
  await shows(viewer.page, "together", "6");
  await shows(viewer.page, "yours", "1");
  assert.deepEqual(
    everyone.flatMap(({ faults }) => faults),
    [],
  );
});

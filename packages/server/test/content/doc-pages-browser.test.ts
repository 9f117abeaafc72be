import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, noBrowser, openBrowser } from "../support/browser.ts";
import { startDev } from "../support/engines.ts";

const FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
/** Script that returns the id of the focused element, otherwise its text. */
const FOCUSED = "document.activeElement.id || document.activeElement.textContent.trim()";

test("the documentation is accessible in light and dark mode and fits a phone; its search works by keyboard", {
  skip: noBrowser,
}, async (t) => {
  const { base } = (await startDev(t)).target;
  const browser = await openBrowser(t);
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  for (const [address, scheme] of [
    ["/docs", "light"],
    ["/docs/stylesheet", "dark"],
    ["/docs/search?q=policy", "light"],
  ] as const) {
    await page.goto(base + address);
    assert.equal(await page.evaluate(FITS), true, `${address} does not fit a phone`);
    await assertAccessible(page, scheme);
  }

  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(FOCUSED), "Skip to the content");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.match(String(await page.evaluate("document.activeElement.className")), /card/);

  await page.keyboard.press("/");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("createMany import");
  await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
  assert.match(await page.title(), /^createMany import · Search/);
  assert.match(await page.getByRole("status").innerText(), /^\d+ sections? with all words/);
  await page.getByRole("main").getByRole("link", { name: "Import of many records" }).focus();
  await Promise.all([
    page.waitForURL(/\/docs\/recipes#import-of-many-records$/),
    page.keyboard.press("Enter"),
  ]);
});

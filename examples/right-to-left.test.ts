import assert from "node:assert/strict";
import { test } from "node:test";
import { noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { startExample } from "../packages/server/test/support/service.ts";

const ARABIC = "مرحبا بالعالم.";

/**
 * A script for the page. It returns whether the text of the first list item is aligned to the right edge of its element and does not fill
 * the line.
 */
const STANDS_RIGHT = `(() => {
  const text = document.querySelector("li .text");
  const range = document.createRange();
  range.selectNodeContents(text);
  const [line] = range.getClientRects();
  const { left, right } = text.getBoundingClientRect();
  return right - line.right < 2 && line.left - left > 20;
})()`;

for (const [slug, field, send] of [
  ["board", "A new idea", "Add card"],
  ["guestbook", "Your entry", "Sign the book"],
  ["survey", "What should we think of?", "Send answer"],
] as const)
  test(`${slug}: text from right to left is aligned right`, { skip: noBrowser }, async (t) => {
    const { base } = await startExample(t, slug);
    const { page } = await openAs(await openBrowser(t), `${base}/c/${slug}/`, "dev@example.com");
    if (slug === "survey") await page.getByRole("radio", { name: "To the lake" }).check();
    await page.getByLabel(field).fill(ARABIC);
    assert.equal(await page.evaluate("document.activeElement.matches(':dir(rtl)')"), true);
    await page.getByRole("button", { name: send }).click();
    await page.locator("li .text", { hasText: ARABIC }).waitFor();
    assert.equal(await page.evaluate(STANDS_RIGHT), true);
  });

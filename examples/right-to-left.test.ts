import assert from "node:assert/strict";
import { test } from "node:test";
import { seedExamples } from "../packages/server/src/management/seed-examples.ts";
import { noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { startService } from "../packages/server/test/support/service.ts";

/** The slug of an example, and the labels of its field and its button. */
const FORMS = [
  ["board", "A new idea", "Add card"],
  ["guestbook", "Your entry", "Sign the book"],
  ["survey", "What should we think of?", "Send answer"],
] as const;

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

test("text from right to left is aligned right", { skip: noBrowser }, async (t) => {
  const { base } = await startService(t, {}, "localhost", (env) =>
    seedExamples(
      env,
      undefined,
      FORMS.map(([slug]) => slug),
    ),
  );
  const { page } = await openAs(await openBrowser(t), `${base}/c/board/`, "dev@example.com");
  for (const [slug, field, send] of FORMS) {
    if (slug !== "board") await page.goto(`${base}/c/${slug}/`);
    if (slug === "survey") await page.getByRole("radio", { name: "To the lake" }).check();
    await page.getByLabel(field).fill(ARABIC);
    assert.equal(await page.evaluate("document.activeElement.matches(':dir(rtl)')"), true, slug);
    await page.getByRole("button", { name: send }).click();
    await page.locator("li .text", { hasText: ARABIC }).waitFor();
    assert.equal(await page.evaluate(STANDS_RIGHT), true, slug);
  }
});

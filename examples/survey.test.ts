import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { startExample } from "../packages/server/test/support/service.ts";

const answer = async (page: Page, choice: string, comment: string) => {
  await page.getByRole("radio", { name: choice }).check();
  await page.getByLabel("What should we think of?").fill(comment);
  await page.getByRole("button", { name: /^(Send|Change) answer$/ }).click();
};

const says = (page: Page, text: string) =>
  page.getByRole("status").getByText(text, { exact: true }).waitFor();

/** Returns the lines of the tally: each choice with its count. */
const tallyOf = (page: Page) => page.locator("#tally li").allInnerTexts();

test("three people answer, and two of them can read all answers", { skip: noBrowser }, async (t) => {
  const { base } = await startExample(t, "survey");
  const browser = await openBrowser(t);
  const address = `${base}/c/survey/`;
  const owner = await openAs(browser, address, "dev@example.com");
  await owner.page.getByText("Nobody has answered yet.").waitFor();
  await assertAccessible(owner.page);
  const editor = await openAs(browser, address, "editor@example.com");
  const viewer = await openAs(browser, address, "viewer@example.com");

  await viewer.page.getByRole("button", { name: "Send answer" }).click();
  await viewer.page.getByText("Choose an answer first.").waitFor();
  await answer(viewer.page, "To the lake", "");
  await says(viewer.page, "Thank you, your answer is in.");
  await answer(viewer.page, "A long lunch", "No <b>nuts</b>");
  await says(viewer.page, "Your answer is changed.");
  await viewer.page.locator("form").getByText("Your answer is changed.").waitFor();
  await viewer.page.getByRole("radio", { name: "Up a mountain" }).check();
  await viewer.page.getByText("Answered as Viewer").waitFor();
  await answer(editor.page, "Up a mountain", "=1+1");
  await says(editor.page, "Thank you, your answer is in.");
  await answer(owner.page, "A long lunch", 'I say "soup"');
  await says(owner.page, "Thank you, your answer is in.");

  for (const { page } of [owner, editor]) {
    await page.reload();
    await page.getByText("3 answers", { exact: true }).waitFor();
    assert.deepEqual(await tallyOf(page), [
      "To the lake\n0 · 0%",
      "Up a mountain\n1 · 33%",
      "To a museum\n0 · 0%",
      "A long lunch\n2 · 67%",
    ]);
    await page.getByText("No <b>nuts</b>", { exact: true }).waitFor();
  }
  // Everyone sees the results, without a reload; the answers are for owner and editors.
  await viewer.page.getByText("3 answers", { exact: true }).waitFor();
  assert.deepEqual(await tallyOf(viewer.page), await tallyOf(owner.page));
  await viewer.page.reload();
  await viewer.page.getByText("Answered as Viewer").waitFor();
  assert.ok(await viewer.page.getByRole("radio", { name: "A long lunch" }).isChecked());
  assert.equal(await viewer.page.getByRole("heading", { name: "Answers" }).isVisible(), false);
  await assertAccessible(viewer.page);
  await assertAccessible(owner.page);

  const [file] = await Promise.all([
    owner.page.waitForEvent("download"),
    owner.page.getByRole("button", { name: "Export" }).click(),
  ]);
  const lines = (await readFile(await file.path(), "utf8")).split("\r\n");
  assert.equal(lines[0], '\ufeff"name","choice","comment","answered","user"');
  assert.match(lines[1] ?? "", /^"Dev","A long lunch","I say ""soup""","20.+Z","[0-9a-f-]{36}"$/);
  assert.match(lines[2] ?? "", /^"Editor","Up a mountain","'=1\+1",/);
  assert.deepEqual([...owner.faults, ...editor.faults, ...viewer.faults], []);
});

test("an author can withdraw an answer; owner and editors can remove it after a confirmation", {
  skip: noBrowser,
}, async (t) => {
  const { base } = await startExample(t, "survey");
  const browser = await openBrowser(t);
  const address = `${base}/c/survey/`;
  const viewer = await openAs(browser, address, "viewer@example.com");
  const guest = await openAs(browser, address, "ada@example.com");
  await answer(viewer.page, "To the lake", "With a boat");
  await says(viewer.page, "Thank you, your answer is in.");
  // On a phone, the second tap of a double tap on “Send answer” does not withdraw the answer.
  await guest.page.setViewportSize({ width: 360, height: 1000 });
  const send = guest.page.locator("#send");
  const where = (await send.boundingBox()) ?? assert.fail("no button");
  await answer(guest.page, "To a museum", "");
  await says(guest.page, "Thank you, your answer is in.");
  assert.deepEqual(await send.boundingBox(), where);
  await guest.page.getByRole("button", { name: "Withdraw" }).click();
  await says(guest.page, "Your answer is withdrawn.");
  assert.ok(await guest.page.getByRole("radio", { name: "To a museum" }).isChecked());

  const owner = await openAs(browser, address, "dev@example.com");
  await owner.page.getByText("1 answer", { exact: true }).waitFor();
  await guest.page.getByRole("button", { name: "Send answer" }).click();
  await says(guest.page, "Thank you, your answer is in.");
  await owner.page.reload();
  await owner.page.getByText("2 answers", { exact: true }).waitFor();

  const dialog = owner.page.getByRole("dialog");
  await owner.page.getByRole("button", { name: "Remove the answer of Ada" }).click();
  await dialog.getByRole("button", { name: "Keep" }).click();
  await owner.page.getByText("2 answers", { exact: true }).waitFor();
  await owner.page.getByRole("button", { name: "Remove the answer of Ada" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await says(owner.page, "The answer of Ada is removed.");
  assert.equal(
    await owner.page.evaluate("document.activeElement.textContent"),
    "Remove the answer of Viewer",
  );

  await answer(owner.page, "To the lake", "");
  await owner.page.getByText("2 answers", { exact: true }).waitFor();
  await owner.page.getByRole("button", { name: "Remove all" }).click();
  await dialog.getByRole("heading", { name: "Remove all 2 answers?" }).waitFor();
  await owner.page.keyboard.press("Escape");
  await owner.page.getByText("2 answers", { exact: true }).waitFor();
  await owner.page.getByRole("button", { name: "Remove all" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await owner.page.getByText("Nobody has answered yet.").waitFor();
  await owner.page.getByRole("button", { name: "Send answer" }).waitFor();
  for (const { page } of [viewer, guest]) {
    await page.reload();
    await page.getByRole("button", { name: "Send answer" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Withdraw" }).isVisible(), false);
  }
  assert.deepEqual([...owner.faults, ...guest.faults, ...viewer.faults], []);
});

test("the page says which permission or capability is missing, and continues when it is back", {
  skip: noBrowser,
}, async (t) => {
  const { base, env } = await startExample(t, "survey");
  const viewer = await openAs(await openBrowser(t), `${base}/c/survey/`, "viewer@example.com");
  await viewer.page.getByRole("button", { name: "Send answer" }).waitFor();

  await env.db.run`update canvases set kv = 0 where slug = 'survey'`;
  await answer(viewer.page, "To the lake", "");
  await viewer.page.locator("#problem").getByText("switched off for this canvas").waitFor();
  await viewer.page.reload();
  const failure = viewer.page.getByRole("alert").filter({ hasText: "switched off for this canvas" });
  await failure.waitFor();
  await assertAccessible(viewer.page);
  assert.equal(await viewer.page.getByRole("button", { name: "Send answer" }).isVisible(), false);
  await env.db.run`update canvases set kv = 1 where slug = 'survey'`;
  await failure.getByRole("button").click();
  await viewer.page.getByRole("button", { name: "Send answer" }).waitFor();
  assert.equal(await failure.isVisible(), false);

  await viewer.context.clearCookies();
  await answer(viewer.page, "To the lake", "Still here");
  await viewer.page.getByText("You are not signed in. Reload this page to sign in.").first().waitFor();
  assert.equal(await viewer.page.getByLabel("What should we think of?").inputValue(), "Still here");
  assert.deepEqual(viewer.faults, []);
});

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, describe, test } from "node:test";
import type { Env } from "@easel/server";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { fileScope, startExample } from "../packages/server/test/support/service.ts";

const answer = async (page: Page, choice: string, comment: string) => {
  await page.getByRole("radio", { name: choice }).check();
  await page.getByLabel("What should we think of?").fill(comment);
  await page.getByRole("button", { name: /^(Send|Change) answer$/ }).click();
};

const says = (page: Page, text: string) =>
  page.getByRole("status").getByText(text, { exact: true }).waitFor();

/** Returns the lines of the tally: each choice with its count. */
const tallyOf = (page: Page) => page.locator("#tally li").allInnerTexts();

describe("the answers of two people", { skip: noBrowser }, () => {
  const scope = fileScope();
  let env: Env;
  let owner: Page;
  let viewer: Page;
  const faults: string[][] = [];

  before(async () => {
    const started = await startExample(scope, "survey");
    env = started.env;
    const browser = await openBrowser(scope);
    const open = async (name: string) => {
      const opened = await openAs(browser, `${started.base}/c/survey/`, `${name}@example.com`);
      faults.push(opened.faults);
      return opened.page;
    };
    [owner, viewer] = [await open("dev"), await open("viewer")];
  });

  test("everyone answers, and the owner can read and export all answers", async () => {
    await owner.getByText("Nobody has answered yet.").waitFor();
    await viewer.getByRole("button", { name: "Send answer" }).click();
    await viewer.getByText("Choose an answer first.").waitFor();
    await answer(viewer, "To the lake", "");
    await says(viewer, "Thank you, your answer is in.");
    await answer(viewer, "A long lunch", "=1+1 <b>nuts</b>");
    await says(viewer, "Your answer is changed.");
    await answer(owner, "Up a mountain", 'I say "soup"');
    await says(owner, "Thank you, your answer is in.");

    await owner.reload();
    await owner.getByText("2 answers", { exact: true }).waitFor();
    assert.deepEqual(await tallyOf(owner), [
      "To the lake\n0 · 0%",
      "Up a mountain\n1 · 50%",
      "To a museum\n0 · 0%",
      "A long lunch\n1 · 50%",
    ]);
    await owner.getByText("=1+1 <b>nuts</b>", { exact: true }).waitFor();
    // Everyone sees the results, without a reload; the answers are for owner and editors.
    await viewer.getByText("2 answers", { exact: true }).waitFor();
    assert.deepEqual(await tallyOf(viewer), await tallyOf(owner));
    await viewer.reload();
    await viewer.getByText("Answered as Viewer").waitFor();
    assert.ok(await viewer.getByRole("radio", { name: "A long lunch" }).isChecked());
    assert.equal(await viewer.getByRole("heading", { name: "Answers" }).isVisible(), false);
    await assertAccessible(viewer);
    await assertAccessible(owner, "dark");

    const [file] = await Promise.all([
      owner.waitForEvent("download"),
      owner.getByRole("button", { name: "Export" }).click(),
    ]);
    const lines = (await readFile(await file.path(), "utf8")).split("\r\n");
    assert.equal(lines[0], '\ufeff"name","choice","comment","answered","user"');
    assert.match(lines[1] ?? "", /^"Dev","Up a mountain","I say ""soup""","20.+Z","[0-9a-f-]{36}"$/);
    assert.match(lines[2] ?? "", /^"Viewer","A long lunch","'=1\+1 /);
    assert.deepEqual(faults, [[], []]);
  });

  test("an author can withdraw an answer; the owner can remove answers after a confirmation", async () => {
    // On a phone, the second tap of a double tap on “Send answer” does not withdraw the answer.
    await viewer.setViewportSize({ width: 360, height: 1000 });
    await viewer.getByRole("button", { name: "Withdraw" }).click();
    await says(viewer, "Your answer is withdrawn.");
    assert.ok(await viewer.getByRole("radio", { name: "A long lunch" }).isChecked());
    await viewer.reload();
    const send = viewer.locator("#send");
    await viewer.getByRole("radio", { name: "To a museum" }).check();
    const where = (await send.boundingBox()) ?? assert.fail("no button");
    await send.click();
    await says(viewer, "Thank you, your answer is in.");
    assert.deepEqual(await send.boundingBox(), where);

    await owner.reload();
    await owner.getByText("2 answers", { exact: true }).waitFor();
    const dialog = owner.getByRole("dialog");
    await owner.getByRole("button", { name: "Remove the answer of Viewer" }).click();
    await dialog.getByRole("button", { name: "Keep" }).click();
    await owner.getByText("2 answers", { exact: true }).waitFor();
    await owner.getByRole("button", { name: "Remove the answer of Viewer" }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await says(owner, "The answer of Viewer is removed.");
    assert.equal(await owner.evaluate("document.activeElement.textContent"), "Remove the answer of Dev");
    await owner.getByRole("button", { name: "Remove all" }).click();
    await owner.keyboard.press("Escape");
    await owner.getByText("1 answer", { exact: true }).waitFor();
    await owner.getByRole("button", { name: "Remove all" }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await owner.getByText("Nobody has answered yet.").waitFor();
    await viewer.reload();
    await viewer.getByRole("button", { name: "Send answer" }).waitFor();
    assert.equal(await viewer.getByRole("button", { name: "Withdraw" }).isVisible(), false);
    assert.deepEqual(faults, [[], []]);
  });

  test("the page says which permission or capability is missing, and continues when it is back", async () => {
    await env.db.run`update canvases set kv = 0 where slug = 'survey'`;
    await answer(viewer, "To the lake", "");
    await viewer.locator("#problem").getByText("switched off for this canvas").waitFor();
    await viewer.reload();
    const failure = viewer.getByRole("alert").filter({ hasText: "switched off for this canvas" });
    await failure.waitFor();
    assert.equal(await viewer.getByRole("button", { name: "Send answer" }).isVisible(), false);
    await env.db.run`update canvases set kv = 1 where slug = 'survey'`;
    // The live tally may have continued by itself and hidden the button.
    await viewer.locator("#again").dispatchEvent("click");
    await viewer.getByRole("button", { name: "Send answer" }).waitFor();
    assert.equal(await failure.isVisible(), false);

    await viewer.context().clearCookies();
    await answer(viewer, "To the lake", "Still here");
    await viewer.getByText("You are not signed in. Reload this page to sign in.").first().waitFor();
    assert.equal(await viewer.getByLabel("What should we think of?").inputValue(), "Still here");
    assert.deepEqual(faults, [[], []]);
  });
});

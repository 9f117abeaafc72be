import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { noBrowser, openAs, openBrowser } from "../support/browser.ts";
import { follow, noTools, signedInVariables } from "../support/sample-shell.ts";
import { samplesOf } from "../support/samples.ts";
import { startService, temporaryDirectory } from "../support/service.ts";

const samples = samplesOf("docs/tutorial.md");
const PHOTO = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const shows = (page: Page, text: string) => page.getByText(text).waitFor();

test("the tutorial, followed from its first line to its last, in the browsers of two people and the owner", {
  skip: noBrowser || noTools,
}, async (t) => {
  const { base } = await startService(t);
  const cwd = await temporaryDirectory(t);
  const variables = await signedInVariables(base);
  const followed: string[] = [];
  /** Follows the sections up to and including one, and returns what its commands print. */
  const upTo = async (section: string) => {
    const end = samples.findLastIndex((sample) => sample.section === section);
    const next = samples.slice(followed.length, end + 1);
    followed.push(...next.map(({ name }) => name));
    return follow(next, cwd, { "http://localhost:3000": base }, variables);
  };

  const address = `${base}/c/picnic/`;
  assert.deepEqual(await upTo("a-page"), [address]);
  const browser = await openBrowser(t);
  const owner = await openAs(browser, address, "dev@example.com");
  await shows(owner.page, "Hello Dev, this is visit 1.");
  const ben = await openAs(browser, address, "ben@example.com");
  await shows(ben.page, "Hello Ben, this is visit 1.");

  await upTo("data-that-editors-write");
  for (const { page } of [owner, ben]) {
    await page.reload();
    await shows(page, "No plan yet.");
  }
  await owner.page.getByLabel("Place").fill("The lake");
  await owner.page.getByLabel("Day").fill("Sunday");
  await owner.page.getByRole("button", { name: "Save the plan" }).click();
  for (const { page } of [owner, ben]) await shows(page, "The lake, Sunday");
  assert.equal(await ben.page.getByLabel("Place").isVisible(), false);

  await upTo("files");
  const ada = await openAs(browser, address, "ada@example.com");
  for (const { page } of [owner, ben]) await page.reload();
  await shows(ada.page, "Here now: ");
  for (const name of ["Ada", "Ben", "Dev"]) await ada.page.locator("#here").getByText(name).waitFor();
  for (const [{ page }, dish] of [
    [ben, "Lemon cake"],
    [ada, "Tea"],
  ] as const) {
    await page.getByLabel("Dish").fill(dish);
    await page.getByRole("button", { name: "I bring this" }).click();
  }
  for (const { page } of [owner, ada, ben]) {
    await shows(page, "Lemon cake, by Ben");
    await shows(page, "Tea, by Ada");
  }
  assert.equal(await ada.page.getByRole("button", { name: "Remove Lemon cake" }).count(), 0);
  await ben.page.getByRole("button", { name: "Remove Lemon cake" }).click();
  await ada.page.getByText("Lemon cake, by Ben").waitFor({ state: "detached" });
  await ada.page
    .getByLabel("Add photos")
    .setInputFiles({ name: "tea.png", mimeType: "image/png", buffer: PHOTO });
  await ben.page.waitForFunction("document.querySelector('#photos img')?.naturalWidth === 1");

  const [shared = ""] = await upTo("share-it-with-two-people");
  assert.match(shared, /\nprivate\n[\s\S]*ada@example\.com +editor\nben@example\.com +viewer$/);
  await ada.page.reload();
  await ada.page.getByLabel("Place").waitFor();
  const stranger = await openAs(browser, address, "eve@example.com");
  await shows(stranger.page, "not shared with you");

  const [deployed, back = ""] = await upTo("a-new-version-and-back");
  assert.equal(deployed, address);
  assert.equal(back.split("\n").at(-1), address);
  await ben.page.reload();
  assert.equal(await ben.page.getByRole("heading", { level: 1 }).innerText(), "Picnic");
  await shows(ben.page, "Tea, by Ada");
  assert.deepEqual([owner.faults, ada.faults, ben.faults], [[], [], []]);
  assert.deepEqual(
    followed,
    samples.map(({ name }) => name),
  );
});

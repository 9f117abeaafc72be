import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { HOSTILE, makeTwoVersions } from "../support/two-versions.ts";
import { store } from "../support/version-files.ts";

describe("the screen of versions", { skip: noBrowser }, async () => {
  const { target, env, open } = await startDashboard({ after });
  const ada = await target.signIn("ada@example.com");

  const make = (title: string) => makeTwoVersions(target, ada, title);
  const live = async (id: string) => (await manage(target, ada, "GET", `/api/canvases/${id}`)).json.version;
  const row = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name });

  it("the list says who stored what, and marks the live version and those that were never published", async () => {
    const { id } = await make("Listed");
    await store(target, ada, id, { "index.html": "next" }, { publish: false, message: HOSTILE });
    const { page } = await open(ada.email, `/canvases/${id}/versions`);
    await row(page, HOSTILE).getByText("Not published").waitFor();
    await row(page, "Second").getByText("Live").waitFor();
    await row(page, "Second").getByText("2 files added, 4 changed, 2 removed").waitFor();
    await row(page, HOSTILE).getByRole("button", { name: "Publish" }).waitFor();
    await row(page, "First").getByRole("button", { name: "Roll back to" }).waitFor();
    assert.equal(
      await row(page, "Second")
        .getByRole("button", { name: /^(Publish|Roll back)/ })
        .count(),
      0,
    );
    await assertAccessible(page, "light");
    await assertAccessible(page, "dark");
  });

  it("a roll back is one act by keyboard, says what differs, keeps the focus, and is undone", async () => {
    const { id, first, second } = await make("Rolled back");
    const { page } = await open(ada.email, `/canvases/${id}/versions`);
    const newest = page.getByRole("link", { name: "Second" });
    await newest.focus();
    await page.keyboard.press("ArrowDown");
    for (const press of ["Tab", "Tab", "Enter"]) await page.keyboard.press(press);
    const status = page.getByRole("status").filter({ hasText: "Rolled back to" });
    await status.getByText("7 files differ; data stays as it is.").waitFor();
    assert.equal(await live(id), first);
    await row(page, "First").getByText("Live").waitFor();
    assert.equal(await page.evaluate("document.activeElement.textContent"), "First");
    await status.getByRole("button", { name: "Undo" }).press("Enter");
    await row(page, "Second").getByText("Live").waitFor();
    assert.equal(await live(id), second);
  });

  it("of two tabs that publish at once, the second publishes nothing and shows the truth", async () => {
    const { id, first, second } = await make("Two tabs");
    const third = await store(target, ada, id, { "index.html": "third" }, { message: "Third" });
    const [one, two] = [
      await open(ada.email, `/canvases/${id}/versions`),
      await open(ada.email, `/canvases/${id}/versions`),
    ];
    for (const { page } of [one, two]) await row(page, "Third").getByText("Live").waitFor();
    await row(one.page, "First").getByRole("button", { name: "Roll back to" }).click();
    await row(one.page, "First").getByText("Live").waitFor();
    await row(two.page, "Second").getByRole("button", { name: "Roll back to" }).click();
    await row(two.page, "Second")
      .getByRole("alert")
      .getByText("Another version of this canvas is live")
      .waitFor();
    await row(two.page, "First").getByText("Live").waitFor();
    assert.equal(await live(id), first);
    await assertAccessible(two.page, "dark");
    await row(two.page, "Second").getByRole("button", { name: "Publish" }).click();
    await row(two.page, "Second").getByText("Live").waitFor();
    assert.equal(await live(id), second);
    assert.notEqual(third, second);
    // An Undo that comes too late changes nothing, either.
    await one.page.getByRole("button", { name: "Undo" }).click();
    await one.page.getByText("It could not be undone.").waitFor();
    assert.equal(await live(id), second);
  });

  it("a preview opens in a tab, and is left", async () => {
    const { id, first } = await make("Previewed");
    const { page } = await open(ada.email, `/canvases/${id}/versions?version=${first}`);
    const [tab] = await Promise.all([
      page.waitForEvent("popup"),
      page.getByRole("button", { name: "Preview" }).click(),
    ]);
    await tab.getByRole("heading", { name: "first" }).waitFor();
    const [leaving] = await Promise.all([
      page.waitForEvent("popup"),
      page.getByRole("link", { name: "Leave the preview" }).click(),
    ]);
    await leaving.getByRole("button", { name: "Leave the preview" }).click();
    await leaving.getByRole("heading", { name: "second" }).waitFor();
  });

  it("a version is deleted after a question, and the focus goes on; one that is gone is told", async () => {
    const { id, first } = await make("Deleted");
    const { page } = await open(ada.email, `/canvases/${id}/versions`);
    const other = await open(ada.email, `/canvases/${id}/versions`);
    await row(other.page, "First").waitFor();
    await row(page, "Second").getByRole("button", { name: "More acts" }).press("Enter");
    await page.getByRole("menuitem", { name: "Delete" }).waitFor();
    assert.equal(await page.getByRole("menuitem", { name: "Delete" }).getAttribute("aria-disabled"), "true");
    await page.keyboard.press("Escape");
    await row(page, "First").getByRole("button", { name: "More acts" }).press("Enter");
    await page.getByRole("menuitem", { name: "Delete" }).press("Enter");
    const dialog = page.getByRole("alertdialog", { name: "Delete this version?" });
    await assertAccessible(page, "dark");
    await dialog.getByRole("button", { name: "Delete" }).press("Enter");
    await row(page, "First").waitFor({ state: "detached" });
    await until("the focus is on the next row", () =>
      page.evaluate("document.activeElement.textContent === 'Second'"),
    );
    await page.getByText("This is the only version. The next deploy can be compared with it.").waitFor();

    await row(other.page, "First").getByRole("button", { name: "Roll back to" }).click();
    await other.page.getByRole("alert").getByText("The canvas has no such version.").waitFor();
    await row(other.page, "First").waitFor({ state: "detached" });
    await other.page.goto(`${env.base.origin}/canvases/${id}/versions?version=${first}`);
    await other.page.getByText("This version is not there any more").waitFor();
    await assertAccessible(other.page, "light");
  });

  it("a viewer sees the list and can change nothing", async () => {
    const { id, second } = await make("Shared");
    const people = [{ email: "bo@example.com", role: "viewer" }];
    await manage(target, ada, "PUT", `/api/canvases/${id}/sharing`, { people });
    const { page } = await open("bo@example.com", `/canvases/${id}/versions?version=${second}`);
    await row(page, "Second").getByText("Live").waitFor();
    await page.getByText("The owner and editors can open these versions").waitFor();
    assert.equal(
      await page
        .getByRole("main")
        .getByRole("button", { name: /Preview|Roll|acts/ })
        .count(),
      0,
    );
  });
});

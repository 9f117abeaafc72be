import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { store } from "../support/version-files.ts";

const HOSTILE = `<img src=x onerror="document.title='run'">.txt`;
/** Returns a GIF of one pixel. */
const pixel = (red: number, green: number, blue: number): Buffer => {
  const gif = Buffer.from("R0lGODlhAQABAIAAAP8AAP///ywAAAAAAQABAAACAkQBADs=", "base64");
  gif.set([red, green, blue], 13);
  return gif;
};
const style = (colour: string) =>
  Array.from({ length: 50 }, (_, line) =>
    line === 25 ? `h1 { color: ${colour}; }\n` : `.c${line} { margin: 0 }\n`,
  ).join("");

const FIRST = {
  "index.html": "<h1>first</h1>\n",
  "style.css": style("red"),
  "logo.gif": pixel(255, 0, 0),
  "old/script.js": "console.log('the same');\n",
  "data.bin": Buffer.from([0, 1, 2]),
  "gone.txt": "gone\n",
};
const SECOND = {
  "index.html": "<h1>second</h1>\n",
  "style.css": style("green"),
  "logo.gif": pixel(0, 0, 255),
  "new/script.js": "console.log('the same');\n",
  "data.bin": Buffer.from([0, 1, 2, 3]),
  [HOSTILE]: "<script>document.title='run'</script> \u202e\n",
};

describe("the screen of versions", { skip: noBrowser }, async () => {
  const { target, env, open } = await startDashboard({ after });
  const ada = await target.signIn("ada@example.com");

  /** Makes a canvas with two versions that were published, "First" and "Second". Returns its ids. */
  async function make(title: string) {
    const id = String((await manage(target, ada, "POST", "/api/canvases", { title })).json.id);
    const first = await store(target, ada, id, FIRST, { message: "First" });
    const second = await store(target, ada, id, SECOND, { message: "Second" });
    return { id, first, second };
  }
  const live = async (id: string) => (await manage(target, ada, "GET", `/api/canvases/${id}`)).json.version;
  const row = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name });
  let read: Awaited<ReturnType<typeof make>>;
  before(async () => {
    read = await make("Read");
  });

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

  it("a version is compared with the one before: texts, images, other files, and one that was renamed", async () => {
    const { id, second } = read;
    const { page } = await open(ada.email, `/canvases/${id}/versions?version=${second}`);
    await page.getByText("7 files differ: 4 changed, 1 added, 1 removed, 1 renamed.").waitFor();

    const file = (name: string | RegExp) => page.getByRole("button", { name });
    await file("changed: style.css").click();
    const table = page.getByRole("table", { name: "How style.css differs" });
    await table.getByRole("row", { name: "26 removed h1 { color: red; }" }).waitFor();
    await table.getByRole("row", { name: "26 added h1 { color: green; }" }).waitFor();
    assert.deepEqual(await table.locator("mark").allTextContents(), ["red", "green"]);
    await table.getByRole("button", { name: "Show 22 equal lines" }).click();
    await table.getByText(".c0 { margin: 0 }").waitFor();
    await page.getByRole("button", { name: "Layout of the comparison" }).click();
    await page.getByRole("option", { name: "Side by side" }).click();
    await table
      .getByRole("row", { name: "26 removed h1 { color: red; } 26 added h1 { color: green; }" })
      .waitFor();
    await assertAccessible(page, "light");
    await assertAccessible(page, "dark");

    await file("changed: logo.gif").click();
    for (const side of ["Before", "After"]) {
      await page.getByRole("img", { name: `${side} logo.gif` }).waitFor();
      await page.getByText(`${side}: 1 × 1, 35 bytes`).waitFor();
    }
    await file("changed: data.bin").click();
    await page.getByText("4 bytes, application/octet-stream, SHA-256").waitFor();
    await file(/^renamed: old\/script\.js is now new\/script\.js/).click();
    await page.getByText("its content is the same").waitFor();
    await file(`added: ${HOSTILE}`).click();
    await page.getByText("<script>document.title='run'</script> [U+202E]").waitFor();
    assert.equal(await page.title(), "Versions · Read · Easel");

    // What is shown is in the address.
    await page.reload();
    await page.getByText("[U+202E]").waitFor();
    await page.getByRole("button", { name: /^The one before/ }).click();
    await page.getByRole("option", { name: "Nothing: list all files" }).click();
    await page.getByText("6 files.").waitFor();
    await file("new/script.js").click();
    await page.getByRole("table", { name: "new/script.js" }).getByText("console.log('the same');").waitFor();
    await assertAccessible(page, "dark");
  });

  it("a text of very many lines is drawn in parts", async () => {
    const id = String((await manage(target, ada, "POST", "/api/canvases", { title: "Large" })).json.id);
    const text = (name: string) => Array.from({ length: 3_000 }, (_, line) => `${name} ${line}\n`).join("");
    await store(target, ada, id, { "a.txt": text("a") });
    const version = await store(target, ada, id, { "a.txt": text("b") });
    const { page } = await open(ada.email, `/canvases/${id}/versions?version=${version}&file=a.txt`);
    const more = page.getByRole("button", { name: "Show more of 3,000 lines" });
    await more.waitFor();
    assert.equal(await page.getByRole("table").locator("tr").count(), 2_000);
    await more.click();
    await until(
      "more lines are drawn",
      async () => (await page.getByRole("table").locator("tr").count()) === 6_000,
    );
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
    await row(two.page, "Second").getByRole("alert").getByText("Nothing was published").waitFor();
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

  it("nothing deployed yet leads to a deploy, and 320 pixels are enough", async () => {
    const id = String((await manage(target, ada, "POST", "/api/canvases", { title: "Empty" })).json.id);
    const { page } = await open(ada.email, `/canvases/${id}/versions`, {
      viewport: { width: 320, height: 640 },
    });
    await page.getByText("Nothing deployed yet").waitFor();
    await assertAccessible(page, "light");
    for (const shown of [
      "",
      `?version=${read.second}&file=style.css`,
      `?version=${read.second}&file=logo.gif`,
    ]) {
      await page.goto(`${env.base.origin}/canvases/${read.id}/versions${shown}`);
      await page.getByText("Second").waitFor();
      if (shown !== "") await page.locator(".file-view :is(table, img)").first().waitFor();
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
    }
  });
});

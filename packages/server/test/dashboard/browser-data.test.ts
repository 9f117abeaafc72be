import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { until } from "@easel/conformance/patience";
import type { Person } from "@easel/conformance/target";
import type { Json } from "@easel/protocol/types";
import type { BrowserContext } from "playwright-core";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { makeDataCanvas, message, panelOf, rowOf } from "./data-screen.ts";

const HOSTILE = `<img src=x onerror="document.title='run'">`;
const ARABIC = "شاي بالنعناع";

/** The panel stands beside the list. */
const WIDE = { viewport: { width: 1440, height: 900 } };

describe("the records of a collection", { skip: noBrowser }, async () => {
  const { target, base, open } = await startDashboard({ after });
  const [ada, bo] = [await target.signIn("ada@acme.test"), await target.signIn("bo@acme.test")];

  /** Makes the session of a browser context that of another person. */
  const signInAs = async (context: BrowserContext, { headers }: Person) => {
    const [, cookie = ""] = headers.find(([name]) => name.toLowerCase() === "cookie") ?? [];
    const [name = "", value = ""] = cookie.split(/=(.*)/s);
    await context.addCookies([{ name, value, url: base, httpOnly: true, sameSite: "Lax" }]);
  };

  const make = (collections: Record<string, { preset: "contributions" | "personal" | "collaborative" }>) =>
    makeDataCanvas(target, ada, { collections }, [bo]);

  it("two people on the same records: changes come by themselves, new ones are counted, and a form that is open is asked", async () => {
    const canvas = await make({ ideas: { preset: "collaborative" } });
    const ideas = "/collections/ideas";
    const add = (value: Json) => canvas.call(bo, "POST", ideas, value);
    const write = (id: Json | undefined, value: Json) => canvas.call(bo, "PUT", `${ideas}/${id}`, value);
    const tea = await add({ title: "Tea", votes: 1 });
    await add({ title: HOSTILE, votes: "2" });
    await add({ title: ARABIC, votes: 3, place: { lat: 51.5 } });
    const { page } = await open(ada.email, `/canvases/${canvas.id}/data?show=collection:ideas`, WIDE);
    await rowOf(page, ARABIC).getByText("Bo").waitFor();
    assert.equal(await page.locator("[role=grid] img").count(), 0);
    assert.match(await rowOf(page, HOSTILE).innerText(), /"2"/, "a text that could be a number has quotes");
    await assertAccessible(page, "light");
    await assertAccessible(page, "dark");

    // The list is watched once the first change has come.
    await until("a change comes", async () => {
      await write(tea.id, { title: "Green tea", votes: Math.random() });
      return (await rowOf(page, "Green tea").count()) === 1;
    });
    await add({ title: "Coffee", votes: 5 });
    await page.getByText("1 new record").waitFor();
    assert.equal(await rowOf(page, "Coffee").count(), 0);
    await page.getByRole("button", { name: "show" }).click();
    await rowOf(page, "Coffee").waitFor();

    // By keyboard: to the row, open it, change a field.
    await rowOf(page, "Green tea").focus();
    await page.keyboard.press("x");
    await page.keyboard.press("Control+2");
    assert.equal(await panelOf(page).count(), 0, "typing edits nothing");
    await page.keyboard.press("F2");
    const panel = panelOf(page);
    const title = panel.getByRole("textbox", { name: "title", exact: true });
    await until("the field has the focus", () =>
      page.evaluate("document.activeElement.value === 'Green tea'"),
    );
    await title.fill("Mine");
    await write(tea.id, { title: "Theirs", votes: 77 });
    const conflict = panel.getByRole("alert");
    await conflict.getByText("Somebody changed this").waitFor();
    assert.match(await conflict.innerText(), /yours "Mine", theirs "Theirs"/);
    await assertAccessible(page, "dark");
    await conflict.getByRole("button", { name: "Keep mine" }).click();
    await panel.getByRole("button", { name: "Save" }).click();
    await rowOf(page, "Mine").waitFor();
    assert.deepEqual((await canvas.call(ada, "GET", `${ideas}/${tea.id}`)).value, {
      title: "Mine",
      votes: 77,
    });

    // What was not seen yet is told by the service, and nothing is overwritten by an Undo, either.
    await write(tea.id, { title: "Theirs again", votes: 78 });
    await message(page, "Saved.").getByRole("button", { name: "Undo" }).click();
    await message(page, "Somebody has changed it again.").waitFor();
    assert.deepEqual((await canvas.call(ada, "GET", `${ideas}/${tea.id}`)).value, {
      title: "Theirs again",
      votes: 78,
    });
    await panel.getByText("Somebody has just changed this.").waitFor();
    await title.fill("Mine once more");
    await panel.getByRole("button", { name: "Save" }).click();
    await message(page, "Saved.").getByRole("button", { name: "Undo" }).click();
    await rowOf(page, "Theirs again").waitFor();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });

    await canvas.call(bo, "DELETE", `${ideas}/${tea.id}`);
    await rowOf(page, "Theirs again").waitFor({ state: "detached" });
  });

  it("a deletion is undone, or sent when its message goes or the page is left; many are asked about", async () => {
    const canvas = await make({ ideas: { preset: "contributions" } });
    const ideas = "/collections/ideas";
    for (let number = 1; number <= 25; number++)
      await canvas.call(number % 2 ? ada : bo, "POST", ideas, { title: `Idea ${number}` });
    const left = async () =>
      ((await canvas.call(ada, "GET", `${ideas}?limit=100`)).entries as { value: { title: string } }[]).map(
        ({ value }) => value.title,
      );
    const { page } = await open(ada.email, `/canvases/${canvas.id}/data?show=collection:ideas`);
    await rowOf(page, "Idea 25").focus();
    for (const key of ["Space", "ArrowDown", "Space", "Delete"]) await page.keyboard.press(key);
    await rowOf(page, "Idea 24").waitFor({ state: "detached" });
    await message(page, "Deleted 2 records.").getByRole("button", { name: "Undo" }).press("Enter");
    await rowOf(page, "Idea 25").waitFor();
    assert.equal((await left()).length, 25);

    await rowOf(page, "Idea 23").focus();
    await page.keyboard.press("Delete");
    await rowOf(page, "Idea 23").waitFor({ state: "detached" });
    assert.equal((await left()).length, 25);
    await message(page, "Deleted 1 record.").getByRole("button", { name: "Dismiss" }).click();
    await until("it is sent", async () => !(await left()).includes("Idea 23"));

    await rowOf(page, "Idea 22").focus();
    await page.keyboard.press("Delete");
    await message(page, "Deleted 1 record.").waitFor();
    await page.goto(`${base}/account`);
    await until("it is sent when the page is left", async () => !(await left()).includes("Idea 22"));

    // Somebody else signs in while a deletion waits: it is not sent in their name.
    const other = await open(ada.email, `/canvases/${canvas.id}/data?show=collection:ideas`);
    await rowOf(other.page, "Idea 25").focus();
    await other.page.keyboard.press("Delete");
    await message(other.page, "Deleted 1 record.").waitFor();
    await signInAs(other.context, bo);
    await other.page.evaluate("dispatchEvent(new Event('focus'))");
    await other.page.getByRole("link", { name: "Name of bo" }).waitFor();
    await rowOf(other.page, "Idea 25").waitFor();
    assert.ok((await left()).includes("Idea 25"));

    await page.goto(`${base}/canvases/${canvas.id}/data?show=collection:ideas`);
    await rowOf(page, "Idea 25").focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    const dialog = page.getByRole("alertdialog", { name: "Delete 23 records?" });
    await dialog.getByRole("link", { name: "Export first" }).waitFor();
    await assertAccessible(page, "light");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await message(page, "Deleted 23 records.").waitFor();
    assert.deepEqual(await left(), []);
    await page.getByText("No record yet").waitFor();
    await page.getByText('await easel.kv.collection("ideas").create').waitFor();
    await assertAccessible(page, "dark");
  });

  it("what the policy hides is explained; a collection that leaves the policy comes back here", async () => {
    const canvas = await make({ diary: { preset: "personal" }, ideas: { preset: "contributions" } });
    await canvas.call(ada, "POST", "/collections/diary", { text: "Ada's" });
    await canvas.call(bo, "POST", "/collections/diary", { text: "Bo's" });
    const { page } = await open(ada.email, `/canvases/${canvas.id}/data`);
    await page.getByText("The preset personal shows each person only their own records, you too.").waitFor();
    await page.getByText("2 records of all people").waitFor();
    await rowOf(page, "Ada's").waitFor();
    assert.equal(await rowOf(page, "Bo's").count(), 0);

    await canvas.setPolicy({ collections: { ideas: { preset: "contributions" } } });
    await page.getByRole("heading", { name: "This collection is not in the policy" }).waitFor();
    await page.getByText("No longer in the policy").waitFor();
    await assertAccessible(page, "light");
    await page.getByRole("combobox", { name: "Who may do what" }).selectOption("collaborative");
    await page.getByRole("button", { name: "Add it to the policy" }).click();
    await rowOf(page, "Bo's").waitFor();

    // A switch that somebody turns off is told and turned on here.
    await canvas.turn({ kv: false });
    await page.reload();
    await page.getByText("Keys and records are switched off on this canvas.").waitFor();
    await assertAccessible(page, "dark");
    await page.getByRole("button", { name: "Switch keys and records on" }).click();
    await rowOf(page, "Bo's").waitFor();

    await page.goto(`${base}/canvases/${canvas.id}/data?show=collection:none`);
    await page.getByText("This canvas stores nothing of that name").waitFor();
  });

  it("filters, orders and columns stand in the address; a new record, a large one, and one that is no object", async () => {
    const canvas = await make({ ideas: { preset: "contributions" } });
    for (const votes of [1, 5, 9])
      await canvas.call(bo, "POST", "/collections/ideas", { title: `Has ${votes}`, votes });
    await canvas.call(bo, "POST", "/collections/ideas", "A bare text");
    const { page } = await open(ada.email, `/canvases/${canvas.id}/data?show=collection:ideas`, WIDE);
    await rowOf(page, "A bare text").waitFor();
    await page.getByRole("button", { name: "Filter" }).click();
    const dialog = page.getByRole("dialog", { name: "Filter" });
    await dialog.getByRole("combobox", { name: "Field" }).selectOption("votes");
    await dialog.getByRole("combobox", { name: "Comparison" }).selectOption("is at least");
    await dialog.getByRole("textbox", { name: "Value" }).fill("many");
    await dialog.getByRole("button", { name: "Filter" }).click();
    await dialog.getByText("Write a number").waitFor();
    await assertAccessible(page, "light");
    await dialog.getByRole("textbox", { name: "Value" }).fill("5");
    await dialog.getByRole("button", { name: "Filter" }).click();
    await rowOf(page, "Has 1").waitFor({ state: "detached" });
    await page.getByRole("columnheader", { name: "votes" }).click();
    await until("the rows are ordered", async () =>
      /Has 5[\s\S]*Has 9/.test(await page.getByRole("grid").innerText()),
    );
    await page.getByText('"where":{"value.votes":{"gte":5}},"orderBy":"value.votes"').waitFor();
    await page.reload();
    await rowOf(page, "Has 9").waitFor();
    assert.equal(await rowOf(page, "Has 1").count(), 0);
    await page.getByRole("button", { name: "Remove the filter votes" }).click();
    await rowOf(page, "Has 1").waitFor();
    await page.getByRole("combobox", { name: "Order" }).selectOption("Newest first");

    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("dialog").getByRole("checkbox", { name: "Author" }).press("Space");
    await assertAccessible(page, "dark");
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
    await page.getByRole("columnheader", { name: "Author" }).waitFor({ state: "detached" });

    await page.getByRole("button", { name: "New record" }).click();
    const panel = panelOf(page);
    await panel.getByRole("textbox", { name: "title", exact: true }).fill("By Ada");
    await panel.getByRole("textbox", { name: "votes", exact: true }).fill("x");
    await panel.getByRole("button", { name: "Add", exact: true }).click();
    await panel.getByText("Write a number").waitFor();
    await assertAccessible(page, "light");
    // Leaving asks.
    await page.keyboard.press("Escape");
    await page.getByRole("alertdialog").getByRole("button", { name: "Go on editing" }).click();
    await panel.getByRole("textbox", { name: "votes", exact: true }).fill("12");
    await panel.getByRole("button", { name: "Add", exact: true }).click();
    await message(page, "Added the record.").waitFor();
    await rowOf(page, "By Ada").waitFor();

    // 64 KiB of JSON, and one byte more.
    await panel.getByRole("button", { name: "Edit as JSON" }).click();
    const room = 65_536 - '{"text":""}'.length;
    await panel.getByText("Tab indents.").first().waitFor();
    const type = async (value: Json) => {
      await panel.getByRole("textbox", { name: "Value" }).click();
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText(JSON.stringify(value));
    };
    await type({ text: "y".repeat(room + 1) });
    await panel.getByText("64 KB of at most 64 KB").waitFor();
    await panel.getByRole("button", { name: "Save" }).click();
    await panel.getByText("a record has at most 64 KB").waitFor();
    await type({ text: "y".repeat(room) });
    await panel.getByRole("button", { name: "Save" }).click();
    await message(page, "Saved.").waitFor();
    const shown = await page.getByRole("grid").innerText();
    assert.ok(
      shown.includes(`${"y".repeat(199)}…`) && !shown.includes("y".repeat(200)),
      "a cell has 200 characters",
    );
    await page.keyboard.press("Escape");
  });
});

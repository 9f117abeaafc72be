import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, describe, it } from "node:test";
import { freshSlug, manage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import type { Person } from "@easel/conformance/target";
import type { Json } from "@easel/protocol/types";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";

const HOSTILE = `<img src=x onerror="document.title='run'">`;
/** The panel stands beside the list. */
const WIDE = { viewport: { width: 1440, height: 900 } };

const rowOf = (page: Page, name: string) => page.getByRole("row", { name, exact: true });
const panelOf = (page: Page) => page.getByRole("complementary");
const toastOf = (page: Page, text: string) => page.locator(".toast", { hasText: text });

describe("keys and submissions on the screen Data", { skip: noBrowser }, async () => {
  const { target, open } = await startDashboard({ after });
  const [ada, bo] = [await target.signIn("ada@acme.test"), await target.signIn("bo@acme.test")];

  const send = async (person: Person, method: string, path: string, body?: Json) => {
    const answer = await manage(target, person, method, path, body as object);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
    return answer.json as Record<string, Json>;
  };
  const make = async () => {
    const { id } = await send(ada, "POST", "/api/canvases", { title: "Data", slug: freshSlug() });
    const at = `/api/canvases/${id}`;
    await send(ada, "PATCH", `${at}/capabilities`, { backendEnabled: true, kv: true });
    await send(ada, "PUT", `${at}/sharing`, { people: [{ email: bo.email, role: "editor" }] });
    const call = (person: Person, method: string, path: string, body?: Json) =>
      send(person, method, `${at}/runtime${path}`, body);
    const values = async (path: string) =>
      Object.fromEntries(
        ((await call(ada, "GET", path)).entries as { key: string; value: Json }[]).map(({ key, value }) => [
          key,
          value,
        ]),
      );
    return { screen: `/canvases/${id}/data`, call, values };
  };
  /** Replaces the text of the editor that has the label. */
  const type = async (page: Page, text: string) => {
    const editor = panelOf(page).getByRole("textbox", { name: "Value" });
    await editor.locator("xpath=self::*[@contenteditable]").waitFor();
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(text);
  };

  it("an empty canvas shows the code of its first key; a key is added, changed, counted, and its deletion undone", async () => {
    const { screen, call, values } = await make();
    const { page } = await open(ada.email, screen, WIDE);
    await page.getByRole("heading", { name: "No key yet" }).waitFor();
    await page.getByText("easel.kv.set(").waitFor();
    await assertAccessible(page, "light");

    await page.getByRole("button", { name: "New key" }).click();
    const panel = panelOf(page);
    await panel.getByRole("button", { name: "Add" }).click();
    await panel.getByText("Give the key a name.").waitFor();
    const field = panel.getByRole("textbox", { name: "Key", exact: true });
    await field.fill("x".repeat(513));
    await panel.getByText("A key has at most 512 bytes; this one has 513.").waitFor();
    await field.fill(HOSTILE);
    await type(page, "null");
    await panel.getByText("A key holds any JSON but null.").waitFor();
    await type(page, "41");
    await assertAccessible(page, "dark");
    await panel.getByRole("button", { name: "Add" }).click();
    await rowOf(page, HOSTILE).waitFor();
    assert.equal(await page.locator("[role=grid] img").count(), 0);
    await panel.getByRole("button", { name: "Add" }).click();
    await panel.getByText("It is 42 now.").waitFor();
    assert.deepEqual(await values("/kv"), { [HOSTILE]: 42 });

    // A change of somebody else comes in while nothing was typed, and is asked about otherwise.
    await until("a change comes", async () => {
      await call(bo, "PUT", `/kv/${encodeURIComponent(HOSTILE)}`, { text: "theirs", at: Math.random() });
      return (await panel.getByText("Somebody has just changed this.").count()) === 1;
    });
    await type(page, '{"text":"mine"}');
    await call(bo, "PUT", `/kv/${encodeURIComponent(HOSTILE)}`, { text: "theirs again" });
    const alert = panel.getByRole("alert");
    await alert.getByText("Somebody has changed this key").waitFor();
    assert.equal(await panel.getByRole("button", { name: "Save" }).isDisabled(), true);
    await alert.getByRole("button", { name: "Keep mine" }).click();
    await page.getByRole("link", { name: /^Your keys/ }).click();
    await page.getByRole("alertdialog", { name: "Leave what you changed?" }).waitFor();
    await page.getByRole("button", { name: "Go on editing" }).click();
    await panel.getByRole("button", { name: "Save" }).click();
    await toastOf(page, "Saved.").waitFor();
    assert.deepEqual(await values("/kv"), { [HOSTILE]: { text: "mine" } });

    await call(bo, "PUT", "/kv/apple", "tree\nsecond line");
    await rowOf(page, "apple").waitFor();
    assert.match(await rowOf(page, "apple").innerText(), /tree…/);
    await panel.getByRole("button", { name: "Delete" }).click();
    await panel.waitFor({ state: "detached" });
    await rowOf(page, HOSTILE).waitFor({ state: "detached" });
    await toastOf(page, "Deleted 1 key.").getByRole("button", { name: "Undo" }).click();
    await rowOf(page, HOSTILE).waitFor();
    await rowOf(page, "apple").focus();
    await page.keyboard.press("Delete");
    await rowOf(page, "apple").waitFor({ state: "detached" });
    await toastOf(page, "Deleted 1 key.").getByRole("button", { name: "Dismiss" }).click();
    await until("it is deleted", async () => !("apple" in (await values("/kv"))));
    assert.deepEqual(Object.keys(await values("/kv")), [HOSTILE]);
  });

  it("keys are found by how they begin, and an existing one is not overwritten by a new one", async () => {
    const { screen, call, values } = await make();
    for (const key of ["votes:tea", "votes:cake", "visits"]) await call(ada, "PUT", `/kv/${key}`, 1);
    const { page } = await open(ada.email, `${screen}?show=keys&q=votes`);
    await rowOf(page, "votes:tea").waitFor();
    assert.equal(await rowOf(page, "visits").count(), 0);
    const search = page.getByRole("searchbox", { name: "Keys that begin with" });
    await search.fill("vi");
    await rowOf(page, "visits").waitFor();
    await rowOf(page, "votes:tea").waitFor({ state: "detached" });
    assert.match(page.url(), /q=vi\b/);
    await search.fill("nothing");
    await page.getByRole("heading", { name: "No key begins like this" }).waitFor();
    await page.getByRole("button", { name: "Clear the search", exact: true }).last().click();
    await rowOf(page, "votes:cake").waitFor();
    await page.getByRole("button", { name: "New key" }).click();
    await panelOf(page).getByRole("textbox", { name: "Key", exact: true }).fill("visits");
    await panelOf(page).getByRole("button", { name: "Add" }).click();
    await panelOf(page).getByText("There is a key of this name already.").waitFor();
    assert.deepEqual((await values("/kv")).visits, 1);
    await panelOf(page).getByRole("button", { name: "Open it" }).click();
    await page.getByRole("heading", { name: "visits" }).waitFor();
  });

  it("each person sees their own keys alone", async () => {
    const { screen, call } = await make();
    await call(ada, "PUT", "/kv/user/theme", "dark");
    await call(bo, "PUT", "/kv/user/secret", "of Bo");
    const { page } = await open(ada.email, `${screen}?show=own-keys`);
    await rowOf(page, "theme").waitFor();
    await page.getByText("These are yours. All people together have 2 keys.").waitFor();
    assert.equal(await page.getByText("secret").count(), 0);
  });

  it("submissions have results and names, a harmless CSV, and are deleted one by one or all", async () => {
    const { screen, call } = await make();
    await call(ada, "PUT", "/submissions/lunch/mine", { choice: "soup", why: "=1+1", hungry: true });
    await call(bo, "PUT", "/submissions/lunch/mine", { choice: "soup", why: HOSTILE, hungry: false });
    const { page } = await open(ada.email, `${screen}?show=submissions:lunch`, WIDE);
    const bars = page.getByRole("table", { name: "Answers in choice" });
    await bars.getByRole("row", { name: /^soup 2 100%/ }).waitFor();
    await page.getByRole("grid").getByText("Name of bo").waitFor();
    await assertAccessible(page, "light");
    await assertAccessible(page, "dark");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download CSV" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "lunch.csv");
    const csv = await readFile(await download.path(), "utf8");
    assert.match(csv, /^\ufeff"Person","Id","Changed","choice","why","hungry"\r\n/);
    assert.match(csv, /"soup","'=1\+1",true\r\n/);
    assert.ok(csv.includes(HOSTILE.replaceAll('"', '""')));

    await page.getByRole("grid").getByText("Name of bo").click();
    await panelOf(page).getByRole("heading", { name: "Name of bo" }).waitFor();
    await panelOf(page).getByRole("button", { name: "Delete" }).click();
    await toastOf(page, "Deleted 1 submission.").getByRole("button", { name: "Dismiss" }).click();
    const entries = async () => (await call(ada, "GET", "/submissions/lunch")).entries as Json[];
    await until("it is deleted", async () => (await entries()).length === 1);
    await page.getByRole("button", { name: "Delete all" }).click();
    const dialog = page.getByRole("alertdialog", { name: "Delete all submissions?" });
    await dialog.getByText(/1 submission to/).waitFor();
    await assertAccessible(page, "light");
    await dialog.getByRole("button", { name: "Delete 1 submission" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await entries(), []);
  });
});

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";

const HOSTILE = `<img src=x onerror="document.title='run'"> & "quotes"`;

const palette = (page: Page) => page.getByRole("dialog", { name: "Go to" });
const entry = (page: Page, name: string) => page.getByRole("menuitem", { name, exact: true });

describe("the palette and the shortcuts", { skip: noBrowser }, async () => {
  const { target, env, open } = await startDashboard({ after });
  const ada = await target.signIn("ada@example.com");
  const make = async (title: string): Promise<string> =>
    String((await manage(target, ada, "POST", "/api/canvases", { title })).json.id);
  const hostile = await make(HOSTILE);
  const poll = await make("Poll");

  it("goes to a canvas, one of its screens, and a screen by name, by keyboard alone", async () => {
    const { page } = await open(ada.email, "/account");
    await page.getByText(ada.email).waitFor();
    await page.keyboard.press("Control+k");
    await entry(page, HOSTILE).waitFor();
    for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
    await page.keyboard.type("onerror");
    await entry(page, "Account").waitFor({ state: "detached" });
    await entry(page, HOSTILE).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/canvases/${hostile}`);
    await palette(page).waitFor({ state: "detached" });

    await page.keyboard.press("Control+k");
    await page.keyboard.type("invite");
    await entry(page, "Sharing").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/canvases/${hostile}/sharing`);

    await page.keyboard.press("Control+k");
    await page.keyboard.type("no such thing");
    await page.getByText("Nothing has this name.").waitFor();
    await assertAccessible(page);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await palette(page).waitFor({ state: "detached" });
  });

  it("the rail opens it, and it fits a narrow window", async () => {
    const { page } = await open(ada.email, "/", { viewport: { width: 320, height: 640 } });
    await page.getByRole("button", { name: "Search" }).click();
    await entry(page, "Poll").click();
    await page.waitForURL(`**/canvases/${poll}`);
    assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
  });

  it("single keys work outside of fields, without a modifier, and can be turned off", async () => {
    const { page } = await open(ada.email);
    const field = page.getByRole("searchbox");
    await field.waitFor();
    await page.keyboard.press("/");
    await page.locator("input[type=search]:focus").waitFor();
    await page.keyboard.type("gn?/");
    assert.equal(await field.inputValue(), "gn?/");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Canvases" }).focus();
    await page.keyboard.press("Control+g");
    await page.keyboard.press("n");
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "Keys", exact: true }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/");
    await assertAccessible(page, "dark");
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "Keys", exact: true }).waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.waitForURL(`${env.base.origin}/account`);
    const toggle = page.getByRole("checkbox", { name: /Single keys/ });
    await toggle.waitFor();
    await toggle.focus();
    await page.keyboard.press("Space");
    await page.getByRole("link", { name: "Canvases" }).focus();
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.keyboard.press("?");
    await page.keyboard.press("Control+k");
    await palette(page).waitFor();
    assert.equal(await page.getByRole("heading", { name: "Keys", exact: true }).count(), 0);
    assert.equal(new URL(page.url()).pathname, "/account");
  });
});

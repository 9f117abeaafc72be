import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { publish } from "../support/publish.ts";

const HOSTILE = `<img src=x onerror="document.title='run'"> & "quotes"`;

describe("the frame of the dashboard", { skip: noBrowser }, async () => {
  const { target, env, open } = await startDashboard({ after });
  const ada = await target.signIn("ada@example.com");
  const make = async (title: string): Promise<string> =>
    String((await manage(target, ada, "POST", "/api/canvases", { title })).json.id);

  it("a title is text, whatever it contains", async () => {
    const id = await make(HOSTILE);
    const { page } = await open(ada.email, `/canvases/${id}`);
    await page.getByRole("heading", { level: 1, name: HOSTILE }).waitFor();
    assert.equal(await page.title(), `${HOSTILE} · Easel`);
    await assertAccessible(page, "dark");
  });

  it("a canvas shows the icon of its page, which runs no script, and its initials if it has none", async () => {
    const site = await stage(target);
    const { owner } = site.people;
    await publish(target, site, {
      "favicon.svg": `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8" onload="document.title='run'"><script>document.title="run"</script><rect width="8" height="8"/></svg>`,
      "index.html": "in",
    });
    const { page } = await open(owner.email, `/canvases/${site.id}`);
    const icon = page.locator(".canvas-head .mark img");
    await icon.waitFor();
    await page.waitForFunction("document.querySelector('.canvas-head .mark img').naturalWidth === 8");
    assert.notEqual(await page.title(), "run");
    await publish(target, site, { "index.html": "in" });
    await page.reload();
    await page.locator(".canvas-head .mark", { hasText: "C" }).waitFor();
    assert.equal(await icon.count(), 0);
  });

  it("a canvas that is not there, or not shared, is told and leads back", async () => {
    const { page } = await open("bo@example.com", `/canvases/${await make("Secret")}`);
    await page.getByText("There is nothing here").waitFor();
    await page.getByRole("link", { name: "Your canvases" }).click();
    await page.waitForURL(`${env.base.origin}/`);
  });

  it("after the end of the session, the page stays and is signed in again in a small window", async () => {
    const id = await make("Kept");
    const { page, context } = await open(ada.email, "/account");
    await page.getByText(ada.email).waitFor();
    const [session] = await context.cookies();
    await context.clearCookies();
    await page.getByRole("link", { name: "Canvases" }).click();
    await page.getByText("You are signed out").waitFor();
    const [small] = await Promise.all([
      page.waitForEvent("popup"),
      page.getByRole("button", { name: "Sign in again" }).click(),
    ]);
    await small.getByLabel("E-mail address").waitFor();
    await context.addCookies([session as NonNullable<typeof session>]);
    const closed = small.waitForEvent("close");
    await small.evaluate('void setTimeout(() => location.assign("/auth/done"))');
    await closed;
    await page.getByText("You are signed out").waitFor({ state: "detached" });
    await page.goto(`${env.base.origin}/canvases/${id}`);
    await page.getByRole("heading", { name: "Kept" }).waitFor();
  });

  it("the session can be signed in again while a dialog is open, also by keyboard, and the dialog is kept", async () => {
    const id = await make("Dialog");
    const { page, context } = await open(ada.email, `/canvases/${id}`);
    await page.getByRole("heading", { name: "Dialog" }).waitFor();
    await page.getByRole("button", { name: "Change the address" }).click();
    const field = page.getByLabel("Name in the address");
    await field.fill("half-typed");
    const cookies = await context.cookies();
    await context.clearCookies();
    await field.press("Enter");
    const again = page.getByRole("button", { name: "Sign in again" });
    await again.waitFor();
    const popup = page.waitForEvent("popup");
    await page.keyboard.press("Enter");
    const small = await popup;
    await small.getByLabel("E-mail address").waitFor();
    await context.addCookies(cookies);
    const closed = small.waitForEvent("close");
    await small.evaluate('void setTimeout(() => location.assign("/auth/done"))');
    await closed;
    await again.waitFor({ state: "detached" });
    assert.equal(await field.inputValue(), "half-typed");
    await field.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });
});

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";

const AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

describe("the account", { skip: noBrowser }, async () => {
  const { target, env, open } = await startDashboard({ after });

  it("shows what the person uses and where they are signed in, and ends the other browsers at once", async () => {
    const other = await open("dee@example.com", "/");
    await other.page.getByRole("heading", { name: "Canvases" }).waitFor();
    await target.signIn("dee@example.com");
    await env.db.run`update sessions set user_agent = ${AGENT}
      where user_id = (select id from users where email = ${"dee@example.com"})`;
    const { page } = await open("dee@example.com", "/account");
    await page.getByText("This one").waitFor();
    const canvases = page.getByRole("meter", { name: "Canvases", exact: true });
    await canvases.waitFor();
    assert.equal(await canvases.getAttribute("aria-valuetext"), `0 of ${env.config.quotaCanvases}`);
    await page.getByRole("meter", { name: "AI today" }).waitFor();
    await page.getByText("Firefox on Linux").first().waitFor();
    assert.equal(await page.getByText(AGENT).count(), 2, "the header is shown as it was sent");
    await assertAccessible(page);
    await assertAccessible(page, "dark");
    await page.getByRole("button", { name: "Sign out the 2 others" }).press("Enter");
    await page.getByText("Signed out everywhere else.").waitFor();
    await page.getByRole("button", { name: /^Sign out the/ }).waitFor({ state: "detached" });
    await page.getByText("This one").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Sign out ./ }).count(), 0);
    await other.page.getByRole("link", { name: "Teams" }).click();
    await other.page.getByRole("button", { name: "Sign in again" }).first().waitFor();
  });

  it("turns motion off for this browser, and lists the keys", async () => {
    const { page } = await open("fay@example.com", "/account", { reducedMotion: "no-preference" });
    await page.getByRole("checkbox", { name: /^Less motion/ }).press("Space");
    await page.getByRole("button", { name: "List of keys" }).press("Enter");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await assertAccessible(page);
    await page.keyboard.press("Escape");
    await page.reload();
    await page.getByText("This one").waitFor();
    assert.ok(await page.getByRole("checkbox", { name: /^Less motion/ }).isChecked());
    const moving = await page.evaluate(`[...document.querySelectorAll("*")].filter((each) =>
      getComputedStyle(each).transitionDuration !== "0s" || getComputedStyle(each).animationName !== "none").length`);
    assert.equal(moving, 0);
  });

  it("leads to the tokens and the trash, and out", async () => {
    const { page } = await open("eve@example.com", "/account");
    const target = async (name: string) => page.getByRole("link", { name }).getAttribute("href");
    assert.equal(await target("Access tokens"), "/tokens");
    assert.equal(await target("Trash"), "/?list=trash");
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.waitForURL(/\/auth\//);
  });

  it("is not wider than a narrow phone", async () => {
    const { page } = await open("eve@example.com", "/account", {
      viewport: { width: 320, height: 640 },
      hasTouch: true,
    });
    await page.getByText("This one").waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
  });
});

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { connectTool } from "../support/connected-tool.ts";
import { startDashboard } from "../support/dashboard.ts";

const HOSTILE =
  '<img src=x onerror="alert(1)"> and a-name-without-a-place-to-break-it-that-is-long-enough-for-two-rows';
const AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

describe("the account", { skip: noBrowser }, async () => {
  const { base, target, env, open } = await startDashboard({ after });

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

  it("lists the tools that act for the person, and ends one after a question", async () => {
    const gus = await target.signIn("gus@example.com");
    const tool = await connectTool(base, gus, { scope: "deploy", ownOnly: true }, env);
    const other = await connectTool(base, gus, { clientId: "other" }, env);
    await env.db
      .run`update apps set client_name = ${HOSTILE}, verified = 0, redirect_host = ${"127.0.0.1"} where id = ${other.id}`;
    const { page } = await open("gus@example.com", "/account");
    const list = page.getByRole("region", { name: "Connected tools" });
    await list.getByText("Make and change: only canvases that it makes itself.").waitFor();
    const hostile = list.getByRole("listitem").filter({ hasText: HOSTILE });
    await hostile.getByText("Name not verified").waitFor();
    await hostile.getByText("Everything: every canvas. Asks before").waitFor();
    await hostile.getByText(/Returned to .127\.0\.0\.1/).waitFor();
    assert.equal(await page.locator("img[src=x]").count(), 0);
    await assertAccessible(page);
    await assertAccessible(page, "dark");
    await list.getByRole("button", { name: "End Test tool" }).press("Enter");
    const dialog = page.getByRole("alertdialog", { name: "End this tool?" });
    await dialog.getByText("Test tool is refused from its next call on.").waitFor();
    await assertAccessible(page);
    assert.equal((await tool.request("tools/list")).status, 200);
    await dialog.getByRole("button", { name: "End", exact: true }).press("Enter");
    await page.getByText("Ended Test tool.").waitFor();
    await list.getByRole("button", { name: "End Test tool" }).waitFor({ state: "detached" });
    assert.equal((await tool.request("tools/list")).status, 401);
    assert.equal((await other.request("tools/list")).status, 200);
    await page.setViewportSize({ width: 320, height: 640 });
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
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

  it("leads to the tokens, the trash and the address for tools, and out", async () => {
    const { page } = await open("eve@example.com", "/account");
    const target = async (name: string) => page.getByRole("link", { name }).getAttribute("href");
    assert.equal(await target("Access tokens"), "/tokens");
    assert.equal(await target("Trash"), "/?list=trash");
    await page.getByText("No tool acts for you.").waitFor();
    await page.getByText(`${base}/mcp`).waitFor();
    assert.equal(await target("Connect an AI tool"), "/docs/agents");
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

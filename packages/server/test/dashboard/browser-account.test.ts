import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";

describe("the account", { skip: noBrowser }, async () => {
  const { target, open } = await startDashboard({ after });

  it("shows where the person is signed in, and signs the others out", async () => {
    const dee = await target.signIn("dee@example.com");
    await target.signIn("dee@example.com");
    const { page } = await open(dee.email, "/account");
    await page.getByText("This one").waitFor();
    await assertAccessible(page);
    await assertAccessible(page, "dark");
    await page.getByRole("button", { name: "Sign out the 2 others" }).click();
    await page.getByRole("button", { name: "Sign out the 2 others" }).waitFor({ state: "detached" });
    await page.getByText("This one").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Sign out ./ }).count(), 0);
    assert.equal((await manage(target, dee, "GET", "/api/me")).status, 401);
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

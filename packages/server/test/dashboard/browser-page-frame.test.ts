import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import type { Page } from "playwright-core";
import { assertAccessible, noFullBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { upload } from "../support/publish.ts";
import { zip } from "../support/zip.ts";

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

describe("the page of a canvas in a frame, in subdomain mode", { skip: noFullBrowser }, async () => {
  // The browser's line for what the sandbox of the frame refuses.
  const allowed = /Unsafe attempt to initiate navigation/;
  const { target, open } = await startDashboard({ after }, { urlMode: "subdomain", allowed }, "full");
  const ada = await target.signIn("ada@example.com");

  it("a click starts it; it has its width and its session, and cannot leave the frame", async () => {
    const { json } = await manage(target, ada, "POST", "/api/canvases", { title: "Framed" });
    const id = String(json.id);
    const text = `<title>Page</title><h1>In the frame</h1>
      <button onclick="try { top.location = 'https://elsewhere.test/' } catch { this.textContent = 'Kept' }">Leave</button>`;
    assert.equal((await upload(target, ada, id, await zip({ "index.html": text }))).status, 200);
    const { page } = await open(ada.email, `/canvases/${id}`);
    await button(page, "Show the page here").waitFor();
    assert.equal(await page.locator("iframe").count(), 0);
    await button(page, "Show the page here").click();
    const frame = page.frameLocator("iframe");
    await frame.getByRole("heading", { name: "In the frame" }).waitFor();
    assert.equal(await page.locator("iframe").getAttribute("title"), "The page of Framed");
    await button(page, "Phone").click();
    assert.equal((await page.locator("iframe").boundingBox())?.width, 360);
    await assertAccessible(page);
    await assertAccessible(page, "dark");
    await page.getByRole("link", { name: "open it in a tab" }).waitFor();
    await frame.getByRole("button", { name: "Leave" }).click();
    await frame.getByRole("button", { name: "Kept" }).waitFor();
    assert.equal(new URL(page.url()).pathname, `/canvases/${id}`);
    await page.getByRole("heading", { level: 1, name: "Framed" }).waitFor();
  });

  it("a viewer who has to enter the password first opens it in a tab", async () => {
    const { json } = await manage(target, ada, "POST", "/api/canvases", { title: "Locked" });
    const id = String(json.id);
    assert.equal((await upload(target, ada, id, await zip({ "index.html": "<h1>In</h1>" }))).status, 200);
    const sharing = { people: [{ email: "cy@example.com", role: "viewer" }], password: "long enough" };
    const saved = await manage(target, ada, "PUT", `/api/canvases/${id}/sharing`, sharing);
    assert.equal(saved.status, 200, saved.text);
    const { page } = await open("cy@example.com", `/canvases/${id}`);
    await page.getByText(/a password is asked/).waitFor();
    await page.getByRole("link", { name: "Open", exact: true }).waitFor();
    assert.equal(await button(page, "Show the page here").count(), 0);
  });
});

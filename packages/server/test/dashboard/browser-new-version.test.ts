import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { button, choose, startFolders, untilOnline, untilReview } from "../support/folders.ts";
import { upload } from "../support/publish.ts";

describe("new versions in the dashboard, and files dropped anywhere", { skip: noBrowser }, async () => {
  const { target, open } = await startDashboard({ after });
  const { folder, read } = await startFolders({ after }, target);
  const ada = await target.signIn("ada@example.com");

  /** Makes a canvas with one page. */
  async function make(slug: string, title = slug): Promise<string> {
    const { json } = await manage(target, ada, "POST", "/api/canvases", { title, slug });
    await upload(target, ada, String(json.id), Buffer.from("<p>one"), "text/html");
    return String(json.id);
  }

  /** Drags a page over the window and drops it there. */
  const drag = (page: Page, type: "dragenter" | "dragleave" | "drop", html = "<p>dropped") =>
    page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([${JSON.stringify(html)}], "page.html", { type: "text/html" }));
      dispatchEvent(new DragEvent("${type}", { dataTransfer, cancelable: true }));
    })()`);

  it("a version is stored without being published, and the page stays as it was", async () => {
    const id = await make("looked-at");
    const { page } = await open(ada.email, `/canvases/${id}`);
    await page.getByRole("link", { name: "New version" }).click();
    await choose(page, await folder("two", { "index.html": "<p>two", ".env": "x" }));
    await untilReview(page);
    await page.getByText("Look at it before everyone does").click();
    await assertAccessible(page, "light");
    await button(page, "Store the version").click();
    await page.getByText("The new version is stored").waitFor();
    await assertAccessible(page, "dark");
    assert.equal((await read(ada.email, "looked-at")).text, "<p>one");
    const { json } = await manage(target, ada, "GET", `/api/canvases/${id}/versions`);
    assert.equal((json.versions as unknown[]).length, 2);
  });

  it("a version that somebody has published meanwhile is told before it is replaced", async () => {
    const id = await make("conflict");
    const { page } = await open(ada.email, `/canvases/${id}/deploy`);
    await choose(page, await folder("mine", { "index.html": "<p>mine" }));
    await untilReview(page);
    await upload(target, ada, id, Buffer.from("<p>theirs"), "text/html");
    await button(page, "Deploy").click();
    await page.getByText("has published another version meanwhile").waitFor();
    await assertAccessible(page, "dark");
    assert.equal((await read(ada.email, "conflict")).text, "<p>theirs");
    await button(page, "Deploy anyway").click();
    await page.getByText("The new version is online").waitFor();
    assert.equal((await read(ada.email, "conflict")).text, "<p>mine");
  });

  it("what easel.json needs and is off is offered, and its settings are applied", async () => {
    const id = await make("needs");
    const { page } = await open(ada.email, `/canvases/${id}/deploy`);
    const settings = { capabilities: ["kv"], title: "Needs it", spa: true };
    await choose(
      page,
      await folder("needs", { "index.html": "<p>", "easel.json": JSON.stringify(settings) }),
    );
    await untilReview(page);
    await page.getByText("Turn on kv").waitFor();
    await button(page, "Deploy").click();
    await page.getByText("The new version is online").waitFor();
    const { json } = await manage(target, ada, "GET", `/api/canvases/${id}`);
    assert.deepEqual(
      [json.title, json.spa, (json.capabilities as Record<string, unknown>).backendEnabled],
      ["Needs it", true, true],
    );
  });

  it("a drop on the list makes a canvas; the target is shown while files are dragged", async () => {
    const { page } = await open("drops@example.com", "/");
    await page.getByRole("heading", { name: "Canvases" }).waitFor();
    await drag(page, "dragenter");
    await page.locator(".drop-target", { hasText: "New canvas" }).waitFor();
    await assertAccessible(page, "light");
    await drag(page, "dragleave");
    await page.locator(".drop-target").waitFor({ state: "detached" });
    await drag(page, "drop");
    await untilReview(page);
    await page.getByLabel("Title", { exact: true }).fill("Dropped");
    await page.getByLabel("Address", { exact: true }).fill("dropped-page");
    await button(page, "Deploy").click();
    await untilOnline(page);
    assert.equal((await read("drops@example.com", "dropped-page")).text, "<p>dropped");
  });

  it("a drop within a canvas is its new version, for those who may change it", async () => {
    const title = `<b>Poll</b>`;
    const id = await make("poll", title);
    await manage(target, ada, "PUT", `/api/canvases/${id}/sharing`, {
      people: [{ email: "viewer@example.com", role: "viewer" }],
    });
    const { page } = await open(ada.email, `/canvases/${id}`);
    await page.getByRole("link", { name: "New version" }).waitFor();
    await drag(page, "dragenter");
    await page.locator(".drop-target", { hasText: `New version of ${title}` }).waitFor();
    await drag(page, "drop");
    await untilReview(page);
    await button(page, "Deploy").click();
    await page.getByText("The new version is online").waitFor();
    assert.equal((await read(ada.email, "poll")).text, "<p>dropped");
    const { page: viewer } = await open("viewer@example.com", `/canvases/${id}`);
    await viewer.getByRole("heading", { name: title }).waitFor();
    assert.equal(await viewer.getByRole("link", { name: "New version" }).count(), 0);
    await drag(viewer, "dragenter");
    await viewer.locator(".drop-target", { hasText: "New canvas" }).waitFor();
    await viewer.goto(`${viewer.url()}/deploy`);
    await viewer.getByText("You may not change this canvas").waitFor();
  });
});

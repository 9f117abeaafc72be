import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { after, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import type { BrowserContext } from "playwright-core";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { button, choose, startFolders, untilOnline } from "../support/folders.ts";
import { upload } from "../support/publish.ts";

describe("uploads from the dashboard", { skip: noBrowser }, async () => {
  const { target, base, open } = await startDashboard({ after });
  const { folder, listOf, read } = await startFolders({ after }, target);

  /** Holds the uploads of large files until they are let go. */
  async function holdUploads(context: BrowserContext) {
    const held = Promise.withResolvers<void>();
    const seen: string[] = [];
    await context.route("**/deploys/*/blobs/*", async (route) => {
      seen.push(route.request().url());
      await held.promise;
      await route.continue().catch(() => undefined);
    });
    return { seen, release: held.resolve };
  }

  const LARGE = { "index.html": "<title>Large</title>", "large.bin": "l".repeat(400_000) };

  it("cancelling leaves nothing", async () => {
    const email = "cancel@example.com";
    const { page, context } = await open(email, "/new");
    const { release } = await holdUploads(context);
    await choose(page, await folder("cancelled", LARGE));
    await button(page, "Deploy").click();
    await page.getByRole("heading", { name: "Uploading…" }).waitFor();
    assert.equal((await listOf(email)).canvases.length, 1);
    await assertAccessible(page, "dark");
    await button(page, "Cancel").click();
    await button(page, "Choose something else").waitFor();
    release();
    const { canvases, person } = await listOf(email);
    assert.deepEqual(canvases, []);
    // The address is free at once.
    const next = await manage(target, person, "POST", "/api/canvases", { title: "x", slug: "cancelled" });
    assert.equal(next.status, 201);
    assert.equal(await page.evaluate(`localStorage.getItem("easel.deploys")`), "[]");
  });

  it("a link asks before it stops a deploy, and leaves nothing either", async () => {
    const email = "leaves@example.com";
    const { page, context } = await open(email, "/new");
    const { release } = await holdUploads(context);
    await choose(page, await folder("left", LARGE));
    await button(page, "Deploy").click();
    await page.getByRole("heading", { name: "Uploading…" }).waitFor();
    await page.getByRole("link", { name: "Canvases" }).click();
    await page.getByRole("alertdialog", { name: "Stop the deploy?" }).waitFor();
    await assertAccessible(page, "light");
    await button(page, "Cancel").last().click();
    await page.getByRole("heading", { name: "Uploading…" }).waitFor();
    await page.getByRole("link", { name: "Canvases" }).click();
    const deleted = page.waitForResponse(
      (response) => response.request().method() === "DELETE" && /canvases\/[^/]+$/.test(response.url()),
    );
    await button(page, "Stop and leave").click();
    await page.waitForURL(`${base}/`);
    release();
    await deleted;
    assert.deepEqual((await listOf(email)).canvases, []);
  });

  it("after the tab was closed, the same folder goes on: to the same canvas", async () => {
    const email = "closed@example.com";
    const { page, context } = await open(email, "/new");
    const { seen, release } = await holdUploads(context);
    const root = await folder("continued", { ...LARGE, "other.bin": "o".repeat(400_000) });
    await choose(page, root);
    await button(page, "Deploy").click();
    await page.getByRole("heading", { name: "Uploading…" }).waitFor();
    const begun = await listOf(email);
    await page.close();
    release();
    await context.unrouteAll({ behavior: "ignoreErrors" });
    const again = await context.newPage();
    await again.goto(`${base}/new`);
    await choose(again, root);
    await button(again, "Deploy").click();
    await untilOnline(again);
    const { canvases } = await listOf(email);
    assert.deepEqual(
      canvases.map(({ id, publicationStatus }) => [id, publicationStatus]),
      [[begun.canvases[0]?.id, "published"]],
    );
    assert.ok(seen.length > 0);
    assert.equal((await read(email, "continued", "other.bin")).text.length, 400_000);
  });

  it("a session that ends in mid-upload keeps all, and goes on after signing in again", async () => {
    const email = "ended@example.com";
    const { page, context } = await open(email, "/new");
    const { release } = await holdUploads(context);
    await choose(page, await folder("ended", LARGE));
    await button(page, "Deploy").click();
    await page.getByRole("heading", { name: "Uploading…" }).waitFor();
    const cookies = await context.cookies();
    await context.clearCookies();
    release();
    await page.getByText("Waiting until you have signed in again.").waitFor();
    await context.addCookies(cookies);
    await page.evaluate(`new BroadcastChannel("easel-session").postMessage(null)`);
    await untilOnline(page);
    assert.equal((await read(email, "ended", "large.bin")).text.length, 400_000);
  });

  it("if another person signs in instead, nothing of the one before is sent in their name", async () => {
    const { page, context } = await open("before@example.com", "/new");
    const { release } = await holdUploads(context);
    await choose(page, await folder("before", LARGE));
    await button(page, "Deploy").click();
    await page.getByRole("heading", { name: "Uploading…" }).waitFor();
    await context.clearCookies();
    release();
    await page.getByText("Waiting until you have signed in again.").waitFor();
    const changes: string[] = [];
    page.on("request", (request) => {
      if (request.method() !== "GET") changes.push(`${request.method()} ${request.url()}`);
    });
    page.on("dialog", (dialog) => dialog.accept());
    const other = await open("after@example.com", "/account");
    await context.addCookies(await other.context.cookies());
    const loaded = page.waitForEvent("load");
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await loaded;
    await page.getByRole("link", { name: "after" }).waitFor();
    assert.deepEqual(changes, []);
  });

  it("a lost line and a busy service are waited for", async () => {
    const { page, context } = await open("busy@example.com", "/new");
    let tries = 0;
    await context.route("**/deploys/*/blobs/*", async (route) => {
      tries += 1;
      if (tries === 1) await route.abort("connectionreset");
      else if (tries === 2)
        await route.fulfill({ status: 503, headers: { "retry-after": "0" }, json: { code: "UNAVAILABLE" } });
      else await route.continue();
    });
    await choose(page, await folder("busy", LARGE));
    await button(page, "Deploy").click();
    await untilOnline(page);
    // Two files, and two attempts that failed.
    assert.equal(tries, 4);
  });

  it("what another page writes into the storage leads no new canvas to one that exists", async () => {
    const email = "stored@example.com";
    const { person } = await listOf(email);
    const made = await manage(target, person, "POST", "/api/canvases", { title: "Kept", slug: "kept-page" });
    const id = String(made.json.id);
    await upload(target, person, id, Buffer.from("<p>kept"), "text/html");
    const text = "<title>Own</title>";
    const sha256 = hash("sha256", text);
    const files = [{ path: "index.html", sha256, size: text.length }];
    const staged = await manage(target, person, "POST", `/api/canvases/${id}/deploys`, { files });
    const forged = [
      { manifest: hash("sha256", `${sha256} index.html\n`), canvasId: id, deploy: staged.json.id },
    ];
    const { page } = await open(email, "/new");
    await page.evaluate(`localStorage.setItem("easel.deploys", ${JSON.stringify(JSON.stringify(forged))})`);
    await choose(page, await folder("own-page", { "index.html": text }));
    await button(page, "Deploy").click();
    await untilOnline(page);
    assert.equal((await read(email, "kept-page")).text, "<p>kept");
    assert.equal((await read(email, "own-page")).text, text);
  });
});

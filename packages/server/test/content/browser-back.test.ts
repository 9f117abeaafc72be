import assert from "node:assert/strict";
import { test } from "node:test";
import { amend, type Stage, stage } from "@easel/conformance/fixture";
import type { Page } from "playwright-core";
import { noFullBrowser, openAs, openBrowser } from "../support/browser.ts";
import { publish } from "../support/publish.ts";
import { type Site, startSite } from "../support/site.ts";

/** Notes whether the page comes from the memory of the browser, and grows to two screens. */
const NOTE = `<script>addEventListener("pageshow", ({ persisted }) => { globalThis.persisted = persisted; });</script>
<div style="height: 200vh"></div>`;
const SDK = `<script src="/sdk/v1.js"></script>`;
const page = (title: string, ...parts: string[]) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><output></output>${parts.join("")}${NOTE}</html>`;
const ASKS = `<script>easel.me().then(({ email }) => email, ({ code }) => code).then((who) => document.querySelector("output").append(who));</script>`;
/** Holds the requests of the page from now on until `go` is called. */
const HELD = `{ const { fetch } = globalThis;
  globalThis.left = true;
  const gate = new Promise((resolve) => { globalThis.go = resolve; });
  globalThis.fetch = (...request) => { globalThis.asked = true; return gate.then(() => fetch(...request)); } }`;
const PAGES = {
  "index.html": page("Tea", SDK, ASKS),
  "quiet.html": page(
    "Quiet",
    SDK,
    `<script>easel.kv.get("a").then(() => document.querySelector("output").append("read"))</script>`,
  ),
  "plain.html": page("Plain"),
};

async function tea(site: Site): Promise<Stage> {
  const canvas = await stage(site.target);
  await publish(site.target, canvas, PAGES);
  return canvas;
}

/** Whether the page that is shown came from the memory of the browser. */
const persisted = (page: Page) => page.evaluate<boolean>("globalThis.persisted");

/** Goes back, and waits until the title is shown. */
async function back(page: Page, title: string): Promise<void> {
  await page.evaluate("history.back()");
  await page.getByRole("heading", { name: title }).waitFor();
}

const signOut = async (page: Page, { base }: Site) => {
  await page.goto(`${base}/account`);
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByRole("heading", { name: "You are signed out" }).waitFor();
};

for (const mode of ["path", "subdomain"] as const) {
  const title = (text: string) => `${text}, canvases by ${mode}`;

  test(title("a page that its viewer comes back to is as they have left it"), {
    skip: noFullBrowser,
  }, async (t) => {
    const site = await startSite(t, mode);
    const canvas = await tea(site);
    const address = site.env.base.canvasUrl(canvas.slug);
    const { page } = await openAs(await openBrowser(t, "full"), address, canvas.people.viewer.email);
    await page.getByText(canvas.people.viewer.email).waitFor();
    await page.evaluate("document.querySelector('output').append(' typed'); scrollTo(0, 120)");
    await page.goto(`${site.base}/docs`);
    await back(page, "Tea");
    assert.equal(await persisted(page), true);
    await page.getByText(`${canvas.people.viewer.email} typed`).waitFor();
    await page.waitForFunction("scrollY === 120");
  });

  test(title("a page is not shown before the service says that the viewer is the same"), {
    skip: noFullBrowser,
  }, async (t) => {
    const site = await startSite(t, mode);
    const canvas = await tea(site);
    const { viewer, editor } = canvas.people;
    const address = site.env.base.canvasUrl(canvas.slug);
    const { page, context } = await openAs(await openBrowser(t, "full"), address, viewer.email);
    await page.getByText(viewer.email).waitFor();
    await page.evaluate(HELD);
    await page.goto(`${site.base}/docs`);
    await page.evaluate("history.back()");
    await page.waitForFunction("globalThis.asked === true");
    assert.equal(await page.evaluate("left"), true);
    assert.equal(await page.evaluate("getComputedStyle(document.documentElement).display"), "none");
    assert.equal(await page.getByRole("heading", { name: "Tea" }).isVisible(), false);
    const [name = "", value = ""] = (editor.headers[0]?.[1] ?? "").split("=");
    await context.clearCookies();
    await context.addCookies([{ name, value, url: site.base, httpOnly: true, sameSite: "Lax" }]);
    await page.evaluate("go()");
    await page.getByText(editor.email).waitFor();
    assert.equal(await page.evaluate("globalThis.left"), undefined);
  });

  test(title("a page that has not asked who its viewer is, is loaded anew"), {
    skip: noFullBrowser,
  }, async (t) => {
    const site = await startSite(t, mode);
    const canvas = await tea(site);
    const address = `${site.env.base.canvasUrl(canvas.slug)}quiet.html`;
    const { page } = await openAs(await openBrowser(t, "full"), address, canvas.people.viewer.email);
    await page.getByText("read").waitFor();
    await page.evaluate("globalThis.left = true");
    await page.goto(`${site.base}/docs`);
    await back(page, "Quiet");
    await page.waitForFunction("globalThis.left === undefined");
    await page.getByText("read").waitFor();
  });

  test(title("pages of a Public link come back for a visitor"), { skip: noFullBrowser }, async (t) => {
    const site = await startSite(t, mode);
    const canvas = await tea(site);
    await amend(site.target, canvas, { access: "public_link" });
    const page = await (await (await openBrowser(t, "full")).newContext()).newPage();
    for (const [file, text, title] of [
      ["", "STATIC_ONLY", "Tea"],
      ["plain.html", "", "Plain"],
    ] as const) {
      await page.goto(`${site.env.base.canvasUrl(canvas.slug)}${file}`);
      await page.getByText(text).first().waitFor({ state: "attached" });
      await page.goto(`${site.base}/docs`);
      await back(page, title);
      assert.equal(await persisted(page), true);
    }
  });

  test(title("after signing out, Back shows nothing in any tab"), { skip: noFullBrowser }, async (t) => {
    const site = await startSite(t, mode);
    const canvas = await tea(site);
    const { viewer } = canvas.people;
    const address = site.env.base.canvasUrl(canvas.slug);
    const { page, context } = await openAs(await openBrowser(t, "full"), address, viewer.email);
    await page.getByText(viewer.email).waitFor();
    // In subdomain mode, signing out cannot clear the pages of another host: those without the SDK stay (SECURITY.md).
    const files = mode === "path" ? ["", "quiet.html", "plain.html"] : ["", "quiet.html"];
    const tabs = [];
    for (const file of files) {
      const tab = await context.newPage();
      await tab.goto(address + file);
      await tab.waitForFunction(
        "document.querySelector('output').textContent !== '' || document.title === 'Plain'",
      );
      await tab.goto(`${site.base}/docs`);
      tabs.push(tab);
    }
    const open = await context.newPage();
    await open.goto(address);
    await open.getByText(viewer.email).waitFor();
    await signOut(page, site);
    assert.equal(await open.evaluate("easel.me().catch(({ name }) => name)"), "NotAuthenticatedError");
    await open.reload();
    await open.getByRole("heading", { name: "Who are you?" }).waitFor();
    for (const tab of tabs) await back(tab, "Who are you?");
    await back(page, "Who are you?");
    assert.match(page.url(), /returnTo=%2Faccount$/);
    await back(page, "Who are you?");
  });
}

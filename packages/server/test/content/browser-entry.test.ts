import assert from "node:assert/strict";
import { test } from "node:test";
import { amend, manage, type Stage, share, stage } from "@easel/conformance/fixture";
import { invite } from "@easel/conformance/guest";
import type { Browser, Page } from "playwright-core";
import { noFullBrowser, openAs, openBrowser, signInAs } from "../support/browser.ts";
import { publish } from "../support/publish.ts";
import { type Site, startSite } from "../support/site.ts";

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tea</title><h1>Tea</h1><output></output>
<script src="/sdk/v1.js"></script>
<script>easel.me().then(({ name, canvasRole }) => document.querySelector("output").append(name + ", " + canvasRole));</script></html>`;

/** Returns the e-mail address of the page's viewer, which the page gets from the runtime API, or the name of the error. */
const asks = (page: Page) =>
  page.evaluate<string>("easel.me().then(({ email }) => email, ({ name }) => name)");

/** Requests `/me` of the runtime API from a page. Returns the code of the refusal; undefined if the request succeeds. */
async function refusal(page: Page, { base }: Site, { slug }: Stage): Promise<string | undefined> {
  const call = `fetch("${base}/v1/c/${slug}/me", { credentials: "include" }).then((answer) => answer.json())`;
  return (await page.evaluate<{ code?: string }>(call)).code;
}

async function tea(site: Site): Promise<Stage> {
  const canvas = await stage(site.target);
  await publish(site.target, canvas, { "index.html": PAGE, "more.html": PAGE });
  return canvas;
}

/** Returns the title and the text that the browser shows for the page. */
async function shown(page: Page): Promise<string> {
  return `${await page.title()}: ${(await page.locator("body").innerText()).replace(/\s+/g, " ")}`;
}

const newTab = async (browser: Browser) => (await browser.newContext()).newPage();

test(`people list and password admit a user until they are removed`, {
  skip: noFullBrowser,
}, async (t) => {
  const site = await startSite(t, "subdomain");
  const canvas = await tea(site);
  const { owner, viewer } = canvas.people;
  await amend(site.target, canvas, { password: "darjeeling" });
  const browser = await openBrowser(t, "full");
  const asked = `${site.env.base.canvasUrl(canvas.slug)}more.html?cup=2`;

  const { page: own, faults } = await openAs(browser, asked, owner.email);
  await own.getByText(`${owner.name}, owner`).waitFor();

  const { page } = await signInAs(browser, asked, viewer.email);
  assert.match(await shown(page), /^Password needed/);
  await page.getByLabel("Password").fill("darjeeling");
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByText(`${viewer.name}, viewer`).waitFor();
  assert.equal(page.url(), asked);
  assert.equal(await asks(page), viewer.email);

  await share(site.target, canvas, "private", { editor: "editor" });
  assert.equal(await asks(page), "NotFoundError");
  assert.equal(await refusal(page, site, canvas), "OWNER_ONLY");
  await page.reload();
  assert.match(await shown(page), new RegExp(`^Not shared with you.*share it with ${viewer.email}`));
  assert.doesNotMatch(await page.content(), /Tea/);

  // A new password invalidates the cookie of the old one.
  await share(site.target, canvas, "private", { viewer: "viewer" });
  await page.reload();
  assert.equal(await asks(page), viewer.email);
  await amend(site.target, canvas, { password: "assam tea" });
  assert.equal(await refusal(page, site, canvas), "PASSWORD_REQUIRED");
  await page.reload();
  assert.match(await shown(page), /^Password needed/);
  assert.equal(await asks(own), owner.email);
  assert.deepEqual(faults, []);
});

test(`guests and anonymous callers`, { skip: noFullBrowser }, async (t) => {
  const site = await startSite(t, "subdomain");
  const canvas = await tea(site);
  const { owner, stranger } = canvas.people;
  const address = site.env.base.canvasUrl(canvas.slug);
  const browser = await openBrowser(t, "full");

  const invited = await invite(site.target, canvas, "guest@partner.example", "Gast");
  const guest = await newTab(browser);
  await guest.goto(invited.url);
  await guest.waitForURL(address);
  await guest.getByText("Gast, viewer").waitFor();
  assert.equal(await asks(guest), "guest@partner.example");

  // A signed-in user without access must confirm that the invitation ends their session.
  const { page } = await openAs(browser, `${site.base}/`, stranger.email);
  await page.goto(invited.url);
  assert.match(await shown(page), /^Go on as a guest\?/);
  await page.getByRole("button", { name: "Sign out and go on" }).click();
  await page.getByText("Gast, viewer").waitFor();

  const revoked = `/api/canvases/${canvas.id}/invites/${invited.id}`;
  assert.equal((await manage(site.target, owner, "DELETE", revoked)).status, 204);
  assert.equal(await asks(guest), "NotAuthenticatedError");
  await guest.reload();
  assert.match(await shown(guest), /^Sign in/);
  await guest.goto(invited.url);
  assert.match(await shown(guest), /^Invitation no longer valid/);

  const nobody = await newTab(browser);
  await nobody.goto(address);
  assert.match(await shown(nobody), /^Sign in/);
  await amend(site.target, canvas, { access: "public_link" });
  await nobody.goto(address);
  assert.match(await shown(nobody), /^Tea/);
  assert.equal(await refusal(nobody, site, canvas), "STATIC_ONLY");
  assert.equal(await nobody.evaluate("easel.me().catch(({ code }) => code)"), "STATIC_ONLY");
  await amend(site.target, canvas, { password: "assam tea" });
  await nobody.reload();
  assert.match(await shown(nobody), /^Password needed.*You are not signed in here/);
  await nobody.getByLabel("Password").fill("assam tea");
  await nobody.getByRole("button", { name: "Open" }).click();
  await nobody.getByRole("heading", { name: "Tea" }).waitFor();
  assert.equal(nobody.url(), address);
  assert.match(await shown(nobody), /^Tea/);
  await amend(site.target, canvas, { access: "private" });
  await nobody.reload();
  assert.match(await shown(nobody), /^Sign in/);
});

test(`the owner signs in at a Public link`, {
  skip: noFullBrowser,
}, async (t) => {
  const site = await startSite(t, "subdomain");
  const canvas = await tea(site);
  const { owner } = canvas.people;
  await amend(site.target, canvas, { access: "public_link", password: "assam tea" });
  const asked = `${site.env.base.canvasUrl(canvas.slug)}more.html?cup=2`;
  const page = await newTab(await openBrowser(t, "full"));
  await page.goto(asked);
  assert.match(await shown(page), /^Password needed/);
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("E-mail address").fill(owner.email);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(asked);
  await page.getByText(`${owner.name}, owner`).waitFor();
});

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { setCapabilities } from "../../src/canvases/capabilities.ts";
import { publishStored, storeVersion } from "../../src/canvases/publishing/deploy.ts";
import { setSharing } from "../../src/canvases/sharing.ts";
import { insertCanvas } from "../../src/canvases/store.ts";
import { patchCanvas } from "../../src/canvases/update.ts";
import { newId } from "../../src/crypto/ids.ts";
import type { Env } from "../../src/env.ts";
import { upsertUser } from "../../src/identity/users.ts";
import { assertAccessible, noFullBrowser, openBrowser } from "../support/browser.ts";
import { fillIn, startWithProvider } from "./oidc-provider.ts";

const PAGE = `<!doctype html><meta charset="utf-8"><title>Tea</title><h1>Tea</h1><output></output>
<script src="/sdk/v1.js"></script>
<script>easel.me().then(({ name }) => document.querySelector("output").append(name));</script>`;

/** Creates a canvas whose page shows the name of its viewer. Returns the id of the canvas. */
async function publish(slug: string, env: Env): Promise<string> {
  const owner = await upsertUser(env.db, "owner@example.com", null, env.clock());
  assert.ok(owner !== null);
  const id = newId();
  await insertCanvas({ id, slug, title: "Tea", tags: [], org: null }, owner.id, env);
  await setCapabilities(id, { backendEnabled: true }, {}, env);
  const files = [{ path: "index.html", size: PAGE.length, open: async () => bytes(PAGE) }];
  await publishStored(await storeVersion(id, owner.id, files, env), env);
  return id;
}

/** Creates a canvas that is listed on every home page; returns its URL. */
async function publishTea(env: Env): Promise<string> {
  const id = await publish("tea", env);
  await setSharing(id, { access: "whole_org" }, env);
  await patchCanvas(id, { discoverability: "listed" }, env);
  return env.base.canvasUrl("tea");
}

async function* bytes(text: string) {
  yield Buffer.from(text);
}

/** Opens a tab without cookies. It blocks requests to other computers, such as the one for a font in the provider's forms. */
async function newTab(options: BrowserContextOptions = {}): Promise<Page> {
  assert.ok(browser !== null);
  const context = await browser.newContext(options);
  await context.route(/^https:/, (route) => route.abort());
  return context.newPage();
}

const fails = (page: Page, name: string) => page.getByRole("heading", { level: 1, name }).waitFor();

const browser = noFullBrowser ? null : await openBrowser({ after }, "full");
const sites = await Promise.all(
  ["path", "subdomain"].map(async (mode) => {
    const settings = { SERVICE_URL_MODE: mode };
    // The provider is another site than the service, so these tests also cover the SameSite attribute of cookies.
    const site = await startWithProvider({ after }, { settings, hostname: "easel.localhost" });
    return { mode, ...site, canvas: await publishTea(site.env) };
  }),
);

for (const { mode, base, env, issuer, canvas } of sites) {
  describe(`signing in at a provider in a browser, canvases by ${mode}`, { skip: noFullBrowser }, () => {
    it("returns to the requested canvas", async () => {
      const page = await newTab();
      const wanted = `${canvas}?a=1`;
      await page.goto(wanted);
      assert.equal(new URL(page.url()).origin, issuer);
      await fillIn(page, "ada@example.com");
      await page.waitForURL(wanted);
      await page.getByText("Name of ada").waitFor();

      const cookies = await page.context().cookies(base);
      const ours = cookies.filter(({ name }) => name.startsWith("easel_"));
      assert.deepEqual(ours.map(({ name }) => name).sort(), ["easel_login", "easel_session"]);
      for (const { httpOnly, sameSite, domain } of ours)
        assert.deepEqual([httpOnly, sameSite, domain], [true, "Lax", "easel.localhost"]);

      const other = await page.context().newPage();
      await other.goto(`${base}/account`);
      await other.getByText("ada@example.com").waitFor();
      await other.goto(canvas);
      await other.getByText("Name of ada").waitFor();
    });

    // The rest does not depend on the mode.
    if (mode === "path") return;

    it("calls of a page whose session has ended fail with NotAuthenticatedError, uploads that follow the redirect included", async () => {
      const page = await newTab();
      await page.goto(canvas);
      await fillIn(page, "ada@example.com");
      await page.getByText("Name of ada").waitFor();
      await page.context().clearCookies();
      for (const call of ["me()", 'files.upload("a")', 'files.upload("a", { onProgress() {} })']) {
        const error = await page.evaluate(`easel.${call}.catch(({ name, status }) => name + " " + status)`);
        assert.equal(error, "NotAuthenticatedError 401", call);
      }
    });

    it("opens a canvas that is shared and has a password, until the next request after being removed", async () => {
      const id = await publish("darjeeling", env);
      const passwordHash = await env.passwords.hash("first flush", "owner");
      await setSharing(id, { people: [{ email: "ada@example.com", role: "viewer" }], passwordHash }, env);
      const page = await newTab();
      const wanted = `${env.base.canvasUrl("darjeeling")}?cup=2`;
      await page.goto(wanted);
      await fillIn(page, "ada@example.com");
      await page.getByLabel("Password").fill("second flush");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").waitFor();
      await page.getByLabel("Password").fill("first flush");
      await page.keyboard.press("Enter");
      await page.getByText("Name of ada").waitFor();
      assert.equal(page.url(), wanted);

      await setSharing(id, { people: [] }, env);
      const reason = await page.evaluate("easel.me().then(() => 'open', ({ reason }) => reason)");
      assert.equal(reason, "OWNER_ONLY");
      const answer = await page.reload();
      assert.equal(answer?.status(), 404);
      await fails(page, "Not shared with you");
      assert.equal(await page.getByText("Name of ada").count(), 0);
    });
  });
}

describe("failed sign-ins at a provider in a browser", { skip: noFullBrowser }, () => {
  const [{ base, canvas }] = sites as [(typeof sites)[number]];

  it("the address is not verified: a page with a link to use another account", async () => {
    const page = await newTab();
    await page.goto(canvas);
    await fillIn(page, "unverified@example.com");
    await fails(page, "Your e-mail address is not verified");
    // Waits for more than a second, because the provider measures the age of a login in seconds.
    await page.waitForTimeout(1_100);
    await page.getByRole("link", { name: "Use another account" }).click();
    await fillIn(page, "ada@example.com");
    await page.waitForURL(canvas);
    await page.getByText("Name of ada").waitFor();
  });

  it("cancelled at the provider: a page with a link to try again, by keyboard", async () => {
    const page = await newTab();
    await page.goto(canvas);
    await page.getByRole("link", { name: "Cancel" }).click();
    await fails(page, "You are not signed in");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator("[name=login]").waitFor();
  });

  it("invalid callbacks: accessible pages on a small screen", async () => {
    const page = await newTab({ viewport: { width: 320, height: 640 } });
    for (const [query, says, scheme] of [
      ["", "This address is not complete", "light"],
      ["?code=a&state=b", "This sign-in has run out", "dark"],
    ] as const) {
      await page.goto(`${base}/auth/callback${query}`);
      await fails(page, says);
      await assertAccessible(page, scheme);
      const overflow = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
      assert.equal(await page.evaluate(overflow), false, says);
    }
  });
});

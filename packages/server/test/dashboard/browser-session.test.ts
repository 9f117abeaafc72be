import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { fillIn, startWithProvider } from "../sign-in/oidc-provider.ts";
import { noFullBrowser, openBrowser } from "../support/browser.ts";
import { startDev } from "../support/engines.ts";
import { PROXY } from "../support/service.ts";

const TYPED = "half typed";
const SIGNED_OUT = "What you typed is still here.";

/** Makes a canvas, types a tag on its screen, ends the session, and tries to save it. */
async function typeAndLose(page: Page, end: () => Promise<unknown>): Promise<void> {
  const id = await page.evaluate<string>(
    `fetch("/api/canvases", { method: "POST", headers: { "content-type": "application/json" }, body: '{"title":"Tea"}' })
      .then((answer) => answer.json()).then(({ id }) => id)`,
  );
  await page.goto(new URL(`/canvases/${id}`, page.url()).href);
  await page.getByLabel("New tag").fill(TYPED);
  await end();
  await page.getByRole("button", { name: "Add", exact: true }).click();
}

/** Saves the tag that was typed before. */
async function save(page: Page): Promise<void> {
  assert.equal(await page.getByLabel("New tag").inputValue(), TYPED);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("button", { name: `Remove the tag ${TYPED}` }).waitFor();
}

/** Signs in again in the small window that the bar opens; `signIn` does what the person does there. */
async function signInAgain(page: Page, signIn: (small: Page) => Promise<unknown>): Promise<void> {
  await page.getByText(SIGNED_OUT).waitFor();
  const popup = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Sign in again" }).click();
  const small = await popup;
  const closed = small.isClosed() ? Promise.resolve() : small.waitForEvent("close");
  await signIn(small);
  await closed;
  await page.getByText(SIGNED_OUT).waitFor({ state: "detached" });
}

const enter = async (context: BrowserContext, address: string): Promise<Page> => {
  const page = await context.newPage();
  await page.goto(address);
  return page;
};

test("with OpenID Connect, a session that ends keeps what was typed", { skip: noFullBrowser }, async (t) => {
  const { base } = await startWithProvider(t, { settings: {}, hostname: "easel.localhost" });
  const context = await (await openBrowser(t, "full")).newContext();
  await context.route(/^https:/, (route) => route.abort());
  const page = await enter(context, `${base}/account`);
  await fillIn(page, "ada@example.com");
  await page.waitForURL(`${base}/account`);
  await typeAndLose(page, () => context.clearCookies({ name: "easel_session" }));
  await signInAgain(page, async () => {});
  await save(page);
});

test("behind a proxy, a session that ends keeps what was typed", { skip: noFullBrowser }, async (t) => {
  const { target } = await startDev(t, PROXY);
  const context = await (await openBrowser(t, "full")).newContext();
  const asserted = { "X-Auth-Request-Email": "ada@example.com" };
  await context.setExtraHTTPHeaders(asserted);
  const page = await enter(context, `${target.base}/account`);
  await typeAndLose(page, () => context.setExtraHTTPHeaders({}));
  // The proxy signs the person in with the first request of the small window, which then closes.
  await page.getByText(SIGNED_OUT).waitFor();
  await context.setExtraHTTPHeaders(asserted);
  await signInAgain(page, async () => {});
  await save(page);
});

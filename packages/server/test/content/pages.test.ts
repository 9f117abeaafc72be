import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, noBrowser, openAs, openBrowser } from "../support/browser.ts";
import { startWithExamples } from "../support/service.ts";

test("the service's own pages: for everyone, light and dark, on a small screen", {
  skip: noBrowser,
}, async (t) => {
  const { base } = await startWithExamples(t);
  const browser = await openBrowser(t);
  const { page, context, faults } = await openAs(browser, `${base}/`, "viewer@example.com");
  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(`${base}/auth/login?returnTo=/c/guestbook/`);

  for (const [at, address, says] of [
    [stranger, "/auth/login?returnTo=/c/guestbook/", "Who are you?"],
    [page, "/", "Your canvases"],
    [page, "/c/nothing-here/", "Nothing here"],
    [page, "/c/guestbook/no-such-page", "Nothing here"],
  ] as const) {
    await at.setViewportSize({ width: 320, height: 640 });
    await at.goto(base + address);
    await at.getByRole("heading", { level: 1, name: says }).waitFor();
    await assertAccessible(at);
    const overflow = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    assert.equal(await at.evaluate(overflow), false, `${address} does not fit a small screen`);
  }
  assert.deepEqual(faults, []);
  await context.close();
});

test("signing in by keyboard alone returns to the requested page", { skip: noBrowser }, async (t) => {
  const { base } = await startWithExamples(t);
  const page = await (await openBrowser(t)).newPage();
  await page.goto(`${base}/c/guestbook/`);
  await page.getByRole("button", { name: /editor@example.com/ }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(`${base}/c/guestbook/`);
  await page.getByText("Signed as").waitFor();
  assert.match((await page.locator("#name").textContent()) ?? "", /Editor/);
});

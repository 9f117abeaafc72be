import assert from "node:assert/strict";
import { test } from "node:test";
import { freshEmail } from "@easel/conformance/target";
import { noFullBrowser, openAs, openBrowser } from "../support/browser.ts";
import { startDev } from "../support/engines.ts";

/** What a browser tells a page that it puts into the cache of its back button, and one that it takes from there. */
const LEAVE = `dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }))`;
const COME_BACK = `dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`;

test("a screen that comes back is shown only to the person who has left it", {
  skip: noFullBrowser,
}, async (t) => {
  const { target } = await startDev(t);
  const [email, other] = [freshEmail("ada"), freshEmail("bob")];
  const { page, context, faults } = await openAs(
    await openBrowser(t, "full"),
    `${target.base}/account`,
    email,
  );
  const heading = page.getByText(email).first();
  await heading.waitFor();
  await page.evaluate("globalThis.left = true");

  await page.evaluate(LEAVE);
  assert.equal(await heading.isVisible(), false);
  await page.evaluate(COME_BACK);
  await heading.waitFor();
  assert.equal(await page.evaluate("globalThis.left"), true);

  await page.evaluate(LEAVE);
  const signedIn = await target.signIn(other);
  const [name = "", value = ""] = (signedIn.headers[0]?.[1] ?? "").split("=");
  await context.addCookies([{ name, value, url: target.base, httpOnly: true, sameSite: "Lax" }]);
  await page.evaluate(COME_BACK);
  await page.getByText(other).first().waitFor();
  assert.equal(await page.evaluate("globalThis.left"), undefined);

  await page.evaluate(LEAVE);
  await context.clearCookies();
  await page.evaluate(COME_BACK);
  await page.getByRole("heading", { name: "Who are you?" }).waitFor();
  assert.deepEqual(faults, []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { freshEmail } from "@easel/conformance/target";
import { noFullBrowser, openAs, openBrowser } from "../support/browser.ts";
import { startDev } from "../support/engines.ts";

/** What a browser tells a page that it puts into the cache of its back button, and one that it takes from there. */
const LEAVE = `dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }))`;
const COME_BACK = `dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`;

test("a screen that comes back is loaded anew, for the person who is signed in then", {
  skip: noFullBrowser,
}, async (t) => {
  const { target } = await startDev(t);
  const [email, other] = [freshEmail("ada"), freshEmail("bob")];
  const { page, context, faults } = await openAs(
    await openBrowser(t, "full"),
    `${target.base}/account`,
    email,
  );
  const shown = page.getByText(email).first();
  await shown.waitFor();
  await page.evaluate(LEAVE);
  assert.equal(await shown.isVisible(), false);

  const signedIn = await target.signIn(other);
  const [name = "", value = ""] = (signedIn.headers[0]?.[1] ?? "").split("=");
  await context.addCookies([{ name, value, url: target.base, httpOnly: true, sameSite: "Lax" }]);
  await page.evaluate(COME_BACK);
  await page.getByText(other).first().waitFor();
  assert.equal(await shown.count(), 0);

  await page.evaluate(LEAVE);
  await context.clearCookies();
  await page.evaluate(COME_BACK);
  await page.getByRole("heading", { name: "Who are you?" }).waitFor();
  assert.deepEqual(faults, []);
});

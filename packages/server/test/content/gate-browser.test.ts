import { test } from "node:test";
import { stage } from "@easel/conformance/fixture";
import { noFullBrowser, openBrowser, signInAs } from "../support/browser.ts";
import { publish } from "../support/publish.ts";
import { startSite } from "../support/site.ts";

test("a password submitted after the session ended redirects to the sign-in and back", {
  skip: noFullBrowser,
}, async (t) => {
  const { target, env } = await startSite(t, "subdomain");
  const canvas = await stage(target, { terms: { password: "open, sesame" } });
  await publish(target, canvas, { "index.html": "<h1>home</h1>", "tea.html": "<h1>tea</h1>" });
  const { email } = canvas.people.viewer;
  const browser = await openBrowser(t, "full");
  const asked = `${env.base.canvasUrl(canvas.slug)}tea.html`;
  const { page } = await signInAs(browser, asked, email);
  await page.getByLabel("Password").fill("open, sesame");
  await env.db.run`delete from sessions`;
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByLabel("E-mail address").fill(email);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByLabel("Password").fill("open, sesame");
  await page.getByRole("button", { name: "Open" }).click();
  await page.waitForURL(asked);
  await page.getByRole("heading", { name: "tea" }).waitFor();
});

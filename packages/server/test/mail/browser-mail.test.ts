import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { stage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { publish } from "../support/publish.ts";

describe("mail in the browser", { skip: noBrowser }, async () => {
  const { base, target, env, open } = await startDashboard(
    { after },
    {
      settings: {
        SERVICE_SMTP_URL: "smtp://127.0.0.1:9",
        SERVICE_MAIL_FROM: "easel@acme.test",
        SERVICE_LOG_LEVEL: "silent",
      },
    },
  );

  it("a person asks for access without JavaScript, the owner shares by the link of the mail, and the page opens", async () => {
    const site = await stage(target);
    await publish(target, site, { "index.html": "<h1>tea</h1>" });
    const { stranger, owner } = site.people;
    const { page } = await open(stranger.email, `/c/${site.slug}/`, { javaScriptEnabled: false });
    await page.getByRole("button", { name: "Ask for access" }).click();
    await page.getByRole("heading", { name: "You have asked for access" }).waitFor();
    assert.equal(new URL(page.url()).pathname, `/c/${site.slug}/`);
    const mail = await env.db.get<{ body: string }>`select body from outbox where recipient = ${owner.email}`;
    const [link = ""] = new RegExp(`${base}/canvases/\\S+`).exec(mail?.body ?? "") ?? [];

    const { page: owners } = await open(owner.email, link.slice(base.length));
    const list = owners.getByRole("list", { name: "Will get access" });
    await list.getByText(stranger.email).first().waitFor();
    await owners.getByText("Share only if you know them.").waitFor();
    await assertAccessible(owners);
    await owners.getByRole("button", { name: "Share", exact: true }).click();
    await owners.locator(".access-row", { hasText: stranger.email }).waitFor();
    await page.getByRole("link", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "tea" }).waitFor();
    await owners.reload();
    await owners.getByText(`Has access already: ${stranger.email}.`).waitFor();
  });

  it("the page that asks is accessible, before and after, in light and dark", async () => {
    const site = await stage(target);
    await publish(target, site, { "index.html": "<h1>tea</h1>" });
    const { page } = await open(site.people.stranger.email, `/c/${site.slug}/`);
    await assertAccessible(page);
    await assertAccessible(page, "dark");
    await page.getByRole("button", { name: "Ask for access" }).press("Enter");
    await page.getByRole("heading", { name: "You have asked for access" }).waitFor();
    await assertAccessible(page);
  });

  it("the link of a mail leads to the switches, which count at once", async () => {
    const { page } = await open("dee@example.com", "/account#mails");
    const region = page.getByRole("region", { name: "Mails to you" });
    await region.waitFor();
    const isFocused = () =>
      region.getByRole("heading").evaluate((heading) => heading === heading.ownerDocument.activeElement);
    await until("the switches are in sight", isFocused);
    await assertAccessible(page);
    await assertAccessible(page, "dark");
    await region.getByRole("checkbox", { name: "Access asked for" }).press("Space");
    await region.getByRole("checkbox", { name: "Little room left" }).press("Space");
    const off = () => env.db.all<{ kind: string }>`
      select kind from mails_off join users on users.id = user_id where email = 'dee@example.com' order by kind`;
    await until("both are off", async () => (await off()).length === 2);
    await page.reload();
    const checked = (name: string) => region.getByRole("checkbox", { name }).isChecked();
    await region.waitFor();
    assert.deepEqual(
      [
        await checked("Shared with you"),
        await checked("Access asked for"),
        await checked("Little room left"),
      ],
      [true, false, false],
    );
  });
});

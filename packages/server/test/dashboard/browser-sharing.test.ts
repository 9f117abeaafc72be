import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { amend, manage, stage } from "@easel/conformance/fixture";
import { invite } from "@easel/conformance/guest";
import type { InvitationList } from "@easel/protocol/management";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { choose, emailsOf, message, openSharing, readCanvas, row, undo } from "./sharing-screen.ts";

const PASSWORD = "open sesame";

describe("the sharing screen", { skip: noBrowser }, async () => {
  const dashboard = await startDashboard({ after });
  const { target, open } = dashboard;

  it("roles change and people go at once, with Undo", async () => {
    const canvas = await stage(target);
    const { viewer } = canvas.people;
    const page = await openSharing(dashboard, canvas.people.owner, canvas);
    await choose(page, `Role of ${viewer.email}`, "Editor");
    await undo(page, `${viewer.name} is an editor now`);
    assert.deepEqual(
      (await readCanvas(dashboard, canvas)).people.find(({ email }) => email === viewer.email),
      {
        email: viewer.email,
        role: "viewer",
        name: viewer.name,
      },
    );
    await page.getByRole("button", { name: `Remove ${viewer.email}` }).click();
    await row(page, viewer.email).waitFor({ state: "detached" });
    // The focus goes on to another row.
    const focused = await page.evaluate("document.activeElement.getAttribute('aria-label')");
    assert.equal(focused, `Remove ${canvas.people.editor.email}`);
    await undo(page, `Removed ${viewer.name}`);
    await row(page, viewer.email).waitFor();
  });

  it("what lets more people in is asked once, and taken back at once", async () => {
    const canvas = await stage(target);
    const page = await openSharing(dashboard, canvas.people.owner, canvas);
    const access = async () => (await readCanvas(dashboard, canvas)).access;

    await choose(page, "General access", "Public link");
    const dialog = page.getByRole("alertdialog");
    await dialog.getByText("Now it opens for the owner and 2 people.").waitFor();
    await assertAccessible(page);
    await assertAccessible(page, "dark");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.match(String(await page.evaluate("document.activeElement.textContent")), /Private/);
    assert.equal(await access(), "private");

    await choose(page, "General access", "Organisation");
    await dialog.getByRole("button", { name: "Let them in" }).click();
    await page.getByLabel("List it for the organisation").check();
    await message(page, "General access: Organisation.").waitFor();
    assert.equal(await access(), "whole_org");
    await choose(page, "General access", "Private");
    await undo(page, "General access: Private.");
    const { discoverability, ...after } = await readCanvas(dashboard, canvas);
    assert.deepEqual([after.access, discoverability], ["whole_org", "listed"]);
  });

  it("a password is set, never shown, and removed after a question", async () => {
    const canvas = await stage(target);
    const page = await openSharing(dashboard, canvas.people.owner, canvas);
    await page.getByRole("button", { name: "Set a password" }).click();
    await page.getByLabel("New password").fill("short");
    await page.keyboard.press("Enter");
    await page.getByText("A password has 8 to 200 characters.").waitFor();
    await assertAccessible(page);
    await page.getByLabel("New password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Replace" }).waitFor();
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Replace");
    assert.ok(!(await page.content()).includes(PASSWORD));
    await undo(page, "The password is set.");
    assert.equal((await readCanvas(dashboard, canvas)).hasPassword, false);

    await amend(target, canvas, { password: PASSWORD });
    await page.reload();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("Now a password is asked of 1 viewer.").waitFor();
    await page.getByRole("button", { name: "Remove the password" }).click();
    await page.getByRole("button", { name: "Set a password" }).waitFor();
    // A change is shown before it is saved.
    await message(page, "The password is removed.").waitFor();
    assert.equal((await readCanvas(dashboard, canvas)).hasPassword, false);
  });

  it("an end is set in local time, and removed after a question", async () => {
    const canvas = await stage(target);
    const { page } = await open(canvas.people.owner.email, `/canvases/${canvas.id}/sharing`, {
      timezoneId: "Asia/Tokyo",
    });
    await page.getByRole("button", { name: "Set an end" }).click();
    await page.getByText("Local time, Asia/Tokyo.").waitFor();
    await page.getByLabel("Access ends").fill("2020-01-01T00:00");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("This time has passed.").waitFor();
    await page.getByLabel("Access ends").fill("2099-03-03T17:00");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("On 3 March 2099 at 17:00").waitFor();
    await message(page, "The end of access is set.").waitFor();
    assert.equal((await readCanvas(dashboard, canvas)).expiresAt, Date.UTC(2099, 2, 3, 8));
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByRole("button", { name: "Remove the end" }).click();
    await message(page, "Access has no end.").waitFor();
    assert.equal((await readCanvas(dashboard, canvas)).expiresAt, null);
  });

  it("a guest gets a link that is shown once, and loses it after a question", async () => {
    const canvas = await stage(target);
    const page = await openSharing(dashboard, canvas.people.owner, canvas);
    await page.getByRole("button", { name: "Invite a guest" }).click();
    await page.getByLabel("E-mail address").fill("grace@else.test");
    await page.getByLabel("Name", { exact: true }).fill("<b>Grace</b>");
    await assertAccessible(page, "dark");
    await page.keyboard.press("Enter");
    const link = String(await page.locator(".secret-link").textContent());
    assert.match(link, /\/auth\/invite\/.{20}/);
    await assertAccessible(page);
    // A click beside the dialog does not lose the link.
    await page.mouse.click(5, 5);
    await page.getByRole("button", { name: "Done" }).click();
    await row(page, "<b>Grace</b>").waitFor();
    assert.ok(!(await page.content()).includes(link));
    await row(page, "<b>Grace</b>").getByText("Link valid until").waitFor();
    await page.getByRole("button", { name: "New link for <b>Grace</b>" }).press("Enter");
    await page.getByText("The former link of <b>Grace</b>").waitFor();
    await page.getByRole("button", { name: "Make the link" }).press("Enter");
    await page.locator(".secret-link").waitFor();
    assert.notEqual(String(await page.locator(".secret-link").textContent()), link);
    await assertAccessible(page);
    await page.getByRole("button", { name: "Done" }).press("Enter");
    await page.waitForFunction("/^New link/.test(document.activeElement.getAttribute('aria-label'))");
    await page.getByRole("button", { name: "Revoke the invitation of <b>Grace</b>" }).click();
    await page.getByText("and their sessions end").waitFor();
    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    await page.getByText("Revoked invitations (1)").waitFor();
    const { json } = await manage(target, canvas.people.owner, "GET", `/api/canvases/${canvas.id}/invites`);
    const [only] = (json as unknown as InvitationList).invites;
    assert.ok(only?.revokedAt);
  });

  it("an editor invites no guests, and is told before they give up their role", async () => {
    const canvas = await stage(target);
    await invite(target, canvas, "grace@else.test", "Grace");
    const { editor } = canvas.people;
    const page = await openSharing(dashboard, editor, canvas);
    await row(page, "Grace").waitFor();
    assert.equal(await page.getByRole("button", { name: /Invite a guest|Revoke/ }).count(), 0);
    await page.getByRole("button", { name: `Remove ${editor.email}` }).click();
    await page.getByText("you cannot change the canvas").waitFor();
    assert.ok((await emailsOf(dashboard, canvas)).includes(editor.email));
    await page.getByRole("button", { name: "Give it up" }).click();
    await page.waitForURL(`${target.base}/`);
    assert.ok(!(await emailsOf(dashboard, canvas)).includes(editor.email));
  });

  it("a viewer reads a sentence instead", async () => {
    const canvas = await stage(target);
    const page = await openSharing(dashboard, canvas.people.viewer, canvas);
    await page.getByText("the editors see and change with whom it is shared").waitFor();
    assert.equal(await page.getByRole("button", { name: /Share|Remove|Set/ }).count(), 0);
    await assertAccessible(page);
  });

  it("says why a Public link is impossible", async () => {
    const canvas = await stage(target);
    const admin = await target.signIn(target.admin);
    const set = (publicLinks: boolean) =>
      manage(target, admin, "PATCH", "/api/admin/settings", { publicLinks });
    assert.equal((await set(false)).status, 200);
    const page = await openSharing(dashboard, canvas.people.owner, canvas);
    await choose(page, "General access", "Public link");
    await page.getByRole("button", { name: "Open it to anyone" }).click();
    await page.getByRole("alert").getByText("Public links are switched off on this instance.").waitFor();
    await assertAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByText("Public link is not possible: Public links are switched off").waitFor();
    assert.equal((await set(true)).status, 200);
  });

  it("fits a phone of 320 pixels, by touch", async () => {
    const canvas = await stage(target, { terms: { password: PASSWORD } });
    const { page } = await open(canvas.people.owner.email, `/canvases/${canvas.id}/sharing`, {
      viewport: { width: 320, height: 640 },
      hasTouch: true,
      isMobile: true,
    });
    await row(page, canvas.people.viewer.email).waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
    const small =
      await page.evaluate(`[...document.querySelectorAll("main :is(button, input:not([type=checkbox]))")]
      .filter((each) => each.getClientRects().length > 0 && each.closest("[aria-hidden]") === null)
      .filter((each) => each.getBoundingClientRect().height < 43.9)
      .map((each) => each.outerHTML)`);
    assert.deepEqual(small, []);
    await page.getByRole("button", { name: `Role of ${canvas.people.viewer.email}` }).tap();
    await page.getByRole("option", { name: "Editor" }).tap();
    await message(page, "is an editor now").waitFor();
  });
});

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { amend, manage, type Stage, stage } from "@easel/conformance/fixture";
import { invite } from "@easel/conformance/guest";
import { freshEmail, type Person } from "@easel/conformance/target";
import type { InvitationList } from "@easel/protocol/management";
import type { Canvas } from "@easel/protocol/types";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";

const PASSWORD = "open sesame";

describe("the sharing screen", { skip: noBrowser }, async () => {
  const { target, open } = await startDashboard({ after });

  const openAs = async ({ email }: Person, { id }: Stage) =>
    (await open(email, `/canvases/${id}/sharing`)).page;
  const read = async ({ id, people }: Stage): Promise<Canvas> =>
    (await manage(target, people.owner, "GET", `/api/canvases/${id}`)).json as unknown as Canvas;
  const emailsOf = async (canvas: Stage) => (await read(canvas)).people.map(({ email }) => email);

  /** Waits until a message says `text`, and presses its Undo. */
  const undo = async (page: Page, text: string | RegExp) => {
    const message = page.locator(".toast", { hasText: text });
    await message.getByRole("button", { name: "Undo" }).click();
    const undone = page.locator(".toast", { hasText: "Undone." });
    await undone.getByRole("button", { name: "Dismiss" }).click();
  };
  const choose = async (page: Page, select: string, option: string) => {
    await page.getByRole("button", { name: select }).click();
    await page.getByRole("option", { name: option }).click();
  };
  const row = (page: Page, name: string) => page.locator(".access-row", { hasText: name });

  it("somebody is found and added by the keyboard alone", async () => {
    const canvas = await stage(target);
    const name = `Zoe ${Date.now()}`;
    const zoe = await target.signIn(freshEmail("zoe"), name);
    const page = await openAs(canvas.people.owner, canvas);
    await page.getByLabel("Add people and teams").focus();
    await page.keyboard.type(name);
    await page.getByRole("option", { name }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("list", { name: "Will get access" }).getByText(name).waitFor();
    await page.keyboard.press("Enter");
    await row(page, zoe.email).waitFor();
    await page.locator(".toast", { hasText: `${zoe.email} is a viewer now` }).waitFor();
    assert.deepEqual(
      (await read(canvas)).people.find(({ email }) => email === zoe.email),
      { email: zoe.email, role: "viewer" },
    );
    await undo(page, `${zoe.email} is a viewer now`);
    await row(page, zoe.email).waitFor({ state: "detached" });
    assert.ok(!(await emailsOf(canvas)).includes(zoe.email));
  });

  it("a pasted list becomes many, and what is no address stays with why", async () => {
    const canvas = await stage(target);
    const page = await openAs(canvas.people.owner, canvas);
    const field = page.getByLabel("Add people and teams");
    const pasted = `Ada <new-ada@else.test>, new-bo@else.test\nnot-one ${canvas.people.viewer.email}`;
    await field.focus();
    await page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData("text", ${JSON.stringify(pasted)});
      document.activeElement.dispatchEvent(
        new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
      );
    }`);
    assert.equal(await field.inputValue(), "not-one");
    await page.getByText("“not-one” has no @.").waitFor();
    await page.getByText(`Has access already: ${canvas.people.viewer.email}.`).waitFor();
    await page.getByText("gets access at the first sign-in").nth(1).waitFor();
    await assertAccessible(page);
    // Nothing is shared before the field is right.
    await page.getByRole("button", { name: /^Share/ }).click();
    assert.equal((await emailsOf(canvas)).length, 2);
    await field.fill("");
    await choose(page, "Viewer As", "Editor");
    await page.getByRole("button", { name: "Share with 2" }).click();
    await row(page, "new-bo@else.test").waitFor();
    await page.locator(".toast", { hasText: "Shared with 2 more." }).waitFor();
    const added = (await read(canvas)).people.filter(({ email }) => email.endsWith("@else.test"));
    assert.deepEqual(added, [
      { email: "new-ada@else.test", role: "editor" },
      { email: "new-bo@else.test", role: "editor" },
    ]);
  });

  it("roles change and people go at once, with Undo", async () => {
    const canvas = await stage(target);
    const { viewer } = canvas.people;
    const page = await openAs(canvas.people.owner, canvas);
    await choose(page, `Role of ${viewer.email}`, "Editor");
    await undo(page, `${viewer.email} is an editor now`);
    assert.deepEqual(
      (await read(canvas)).people.find(({ email }) => email === viewer.email),
      {
        email: viewer.email,
        role: "viewer",
      },
    );
    await page.getByRole("button", { name: `Remove ${viewer.email}` }).click();
    await row(page, viewer.email).waitFor({ state: "detached" });
    // The focus goes on to another row.
    const focused = await page.evaluate("document.activeElement.getAttribute('aria-label')");
    assert.equal(focused, `Remove ${canvas.people.editor.email}`);
    await undo(page, `Removed ${viewer.email}`);
    await row(page, viewer.email).waitFor();
  });

  it("what lets more people in is asked once, and taken back at once", async () => {
    const canvas = await stage(target);
    const page = await openAs(canvas.people.owner, canvas);
    const access = async () => (await read(canvas)).access;

    await choose(page, "General access", "Public link");
    const dialog = page.getByRole("alertdialog");
    await dialog.getByText("Now it opens for the owner and 2 people.").waitFor();
    await assertAccessible(page);
    await assertAccessible(page, "dark");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal(await access(), "private");

    await choose(page, "General access", "Organisation");
    await dialog.getByRole("button", { name: "Let them in" }).click();
    await page.getByLabel("List it for the organisation").check();
    await page.locator(".toast", { hasText: "General access: Organisation." }).waitFor();
    assert.equal(await access(), "whole_org");
    await choose(page, "General access", "Private");
    await undo(page, "General access: Private.");
    const { discoverability, ...after } = await read(canvas);
    assert.deepEqual([after.access, discoverability], ["whole_org", "listed"]);
  });

  it("a password is set, never shown, and removed after a question", async () => {
    const canvas = await stage(target);
    const page = await openAs(canvas.people.owner, canvas);
    await page.getByRole("button", { name: "Set a password" }).click();
    await page.getByLabel("New password").fill("short");
    await page.keyboard.press("Enter");
    await page.getByText("A password has 8 to 200 characters.").waitFor();
    await assertAccessible(page);
    await page.getByLabel("New password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Replace" }).waitFor();
    assert.ok(!(await page.content()).includes(PASSWORD));
    await undo(page, "The password is set.");
    assert.equal((await read(canvas)).hasPassword, false);

    await amend(target, canvas, { password: PASSWORD });
    await page.reload();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("Now a password is asked of 1 viewer.").waitFor();
    await page.getByRole("button", { name: "Remove the password" }).click();
    await page.getByRole("button", { name: "Set a password" }).waitFor();
    assert.equal((await read(canvas)).hasPassword, false);
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
    await page.locator(".toast", { hasText: "The end of access is set." }).waitFor();
    assert.equal((await read(canvas)).expiresAt, Date.UTC(2099, 2, 3, 8));
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByRole("button", { name: "Remove the end" }).click();
    await page.locator(".toast", { hasText: "Access has no end." }).waitFor();
    assert.equal((await read(canvas)).expiresAt, null);
  });

  it("a guest gets a link that is shown once, and loses it after a question", async () => {
    const canvas = await stage(target);
    const page = await openAs(canvas.people.owner, canvas);
    await page.getByRole("button", { name: "Invite a guest" }).click();
    await page.getByLabel("E-mail address").fill("grace@else.test");
    await page.getByLabel("Name", { exact: true }).fill("<b>Grace</b>");
    await assertAccessible(page, "dark");
    await page.keyboard.press("Enter");
    const link = String(await page.locator(".secret-link").textContent());
    assert.match(link, /\/auth\/invite\/.{20}/);
    await assertAccessible(page);
    await page.getByRole("button", { name: "Done" }).click();
    await row(page, "<b>Grace</b>").waitFor();
    assert.ok(!(await page.content()).includes(link));
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
    const page = await openAs(editor, canvas);
    await row(page, "Grace").waitFor();
    assert.equal(await page.getByRole("button", { name: /Invite a guest|Revoke/ }).count(), 0);
    await page.getByRole("button", { name: `Remove ${editor.email}` }).click();
    await page.getByText("you cannot change the canvas").waitFor();
    assert.ok((await emailsOf(canvas)).includes(editor.email));
    await page.getByRole("button", { name: "Give it up" }).click();
    await page.waitForURL(`${target.base}/`);
    assert.ok(!(await emailsOf(canvas)).includes(editor.email));
  });

  it("a viewer reads a sentence instead", async () => {
    const canvas = await stage(target);
    const page = await openAs(canvas.people.viewer, canvas);
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
    const page = await openAs(canvas.people.owner, canvas);
    await choose(page, "General access", "Public link");
    await page.getByRole("button", { name: "Open it to anyone" }).click();
    await page.getByRole("alert").getByText("Public links are switched off on this instance.").waitFor();
    await assertAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByText("Public link is not possible: Public links are switched off").waitFor();
    assert.equal((await set(true)).status, 200);
  });

  it("two people who add at once lose nobody, and what is lost is told", async () => {
    const canvas = await stage(target);
    const { owner } = canvas.people;
    const page = await openAs(owner, canvas);
    await row(page, canvas.people.viewer.email).waitFor();
    const before = (await read(canvas)).people;
    const other = { email: "other@else.test", role: "viewer" as const };
    await amend(target, canvas, { people: [...before, other] });
    const add = async (email: string) => {
      await page.getByLabel("Add people and teams").fill(email);
      // While proposals are shown, the rest of the page is hidden from screen readers, but not from the pointer.
      await page.locator("button", { hasText: "Share" }).click();
      await row(page, email).waitFor();
    };
    await add("mine@else.test");
    await page.locator(".toast", { hasText: "mine@else.test is a viewer now." }).waitFor();
    const listed = [...before.map(({ email }) => email), "mine@else.test", other.email];
    assert.deepEqual((await emailsOf(canvas)).toSorted(), listed.toSorted());
    // Somebody saves the list that they read before.
    await amend(target, canvas, { people: [...before, other] });
    await page
      .getByText("Somebody else saved the list after you: mine@else.test is not on the list.")
      .waitFor();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Make your change again" }).click();
    await row(page, "mine@else.test").waitFor();
    await page.getByText("Somebody else saved the list").waitFor({ state: "detached" });
    // An entry that somebody else has changed meanwhile is not overwritten.
    const others = before.filter(({ email }) => email !== canvas.people.editor.email);
    await amend(target, canvas, { people: others });
    await page.getByRole("button", { name: `Role of ${canvas.people.editor.email}` }).waitFor();
    await choose(page, `Role of ${canvas.people.editor.email}`, "Viewer");
    await page
      .getByText(`Somebody else has changed this meanwhile: ${canvas.people.editor.email} is not on`)
      .waitFor();
    assert.deepEqual((await read(canvas)).people, others);
  });

  it("a thousand people are pages of rows, with a filter", async () => {
    const canvas = await stage(target);
    const people = Array.from({ length: 1_000 }, (_, n) => ({
      email: `p${String(n).padStart(3, "0")}@else.test`,
      role: "viewer",
    }));
    await amend(target, canvas, { people });
    const page = await openAs(canvas.people.owner, canvas);
    await page.getByText("1 to 50 of 1,000").waitFor();
    await page.getByRole("button", { name: "The next page" }).click();
    await row(page, "p050@else.test").waitFor();
    assert.ok((await page.locator(".access-row").count()) < 60);
    await page.getByLabel("Filter the list").fill("p99");
    await row(page, "p999@else.test").waitFor();
    assert.equal(await page.locator(".access-list .access-row").count(), 11);
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
    await page.locator(".toast", { hasText: "is an editor now" }).waitFor();
  });
});

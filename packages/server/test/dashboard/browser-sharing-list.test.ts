import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { amend, stage } from "@easel/conformance/fixture";
import { freshEmail } from "@easel/conformance/target";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { choose, emailsOf, message, openSharing, readCanvas, row, undo } from "./sharing-screen.ts";

describe("adding to the list of the sharing screen", { skip: noBrowser }, async () => {
  const dashboard = await startDashboard({ after });
  const { target } = dashboard;

  it("somebody is found and added by the keyboard alone", async () => {
    const canvas = await stage(target);
    const name = `Zoe ${Date.now()}`;
    const zoe = await target.signIn(freshEmail("zoe"), name);
    const page = await openSharing(dashboard, canvas.people.owner, canvas);
    await page.getByLabel("Add people and teams").focus();
    await page.keyboard.type(name);
    await page.getByRole("option", { name }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("list", { name: "Will get access" }).getByText(name).waitFor();
    await page.keyboard.press("Enter");
    await row(page, zoe.email).waitFor();
    await message(page, `${name} is a viewer now`).waitFor();
    assert.deepEqual(
      (await readCanvas(dashboard, canvas)).people.find(({ email }) => email === zoe.email),
      { email: zoe.email, role: "viewer", name },
    );
    await undo(page, `${name} is a viewer now`);
    await row(page, zoe.email).waitFor({ state: "detached" });
    assert.ok(!(await emailsOf(dashboard, canvas)).includes(zoe.email));
  });

  it("a pasted list becomes many, and what is no address stays with why", async () => {
    const canvas = await stage(target);
    const page = await openSharing(dashboard, canvas.people.owner, canvas);
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
    assert.equal((await emailsOf(dashboard, canvas)).length, 2);
    await field.fill("");
    await choose(page, "Viewer As", "Editor");
    await page.getByRole("button", { name: "Share with 2" }).click();
    await row(page, "new-bo@else.test").waitFor();
    await message(page, "Shared with 2 more.").waitFor();
    const added = (await readCanvas(dashboard, canvas)).people.filter(({ email }) =>
      email.endsWith("@else.test"),
    );
    assert.deepEqual(added, [
      { email: "new-ada@else.test", role: "editor", name: null },
      { email: "new-bo@else.test", role: "editor", name: null },
    ]);
  });

  it("two people who add at once lose nobody, and neither overwrites what the other has changed", async () => {
    const canvas = await stage(target);
    const { owner } = canvas.people;
    const page = await openSharing(dashboard, owner, canvas);
    await row(page, canvas.people.viewer.email).waitFor();
    const before = (await readCanvas(dashboard, canvas)).people;
    const other = { email: "other@else.test", role: "viewer" as const };
    await amend(target, canvas, { people: [...before, other] });
    const add = async (email: string) => {
      await page.getByLabel("Add people and teams").fill(email);
      // While proposals are shown, the rest of the page is hidden from screen readers, but not from the pointer.
      await page.locator("button", { hasText: "Share" }).click();
      await row(page, email).waitFor();
    };
    await add("mine@else.test");
    await message(page, "mine@else.test is a viewer now.").waitFor();
    const listed = [...before.map(({ email }) => email), "mine@else.test", other.email];
    assert.deepEqual((await emailsOf(dashboard, canvas)).toSorted(), listed.toSorted());
    // An entry that somebody else has changed meanwhile is not overwritten.
    const others = before.filter(({ email }) => email !== canvas.people.editor.email);
    await amend(target, canvas, { people: others });
    await page.getByRole("button", { name: `Role of ${canvas.people.editor.email}` }).waitFor();
    await choose(page, `Role of ${canvas.people.editor.email}`, "Viewer");
    await page
      .getByText(`Somebody else has changed this meanwhile: ${canvas.people.editor.email} is not on`)
      .waitFor();
    assert.deepEqual((await readCanvas(dashboard, canvas)).people, others);
  });

  it("a thousand people are pages of rows, with a filter", async () => {
    const canvas = await stage(target);
    const people = Array.from({ length: 1_000 }, (_, n) => ({
      email: `p${String(n).padStart(3, "0")}@else.test`,
      role: "viewer",
    }));
    await amend(target, canvas, { people });
    const page = await openSharing(dashboard, canvas.people.owner, canvas);
    await page.getByText("1 to 50 of 1,000").waitFor();
    await page.getByRole("button", { name: "The next page" }).click();
    await row(page, "p050@else.test").waitFor();
    assert.ok((await page.locator(".access-row").count()) < 60);
    await page.getByLabel("Filter the list").fill("p99");
    await row(page, "p999@else.test").waitFor();
    assert.equal(await page.locator(".access-list .access-row").count(), 11);
  });
});

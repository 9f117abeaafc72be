import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import { freshEmail, type Person } from "@easel/conformance/target";
import type { Team } from "@easel/protocol/management";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { message, openSharing } from "./sharing-screen.ts";

const HOSTILE = `\u202e<img src=x onerror="document.title='run'"> \u0641\u0631\u064a\u0642`;

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const members = (page: Page) => page.getByRole("list", { name: "Members", exact: true });

/** Asserts that a state is accessible in both colour schemes. */
async function accessible(page: Page): Promise<void> {
  for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
}

describe("teams", { skip: noBrowser }, async () => {
  // Groups are those of a sign-in service: this test stores them as it would.
  const settings = { SERVICE_OIDC_GROUPS_CLAIM: "groups" };
  const dashboard = await startDashboard({ after }, { settings });
  const { target, open } = dashboard;
  const teamOf = async (maker: Person, name: string, people: string[]): Promise<string> => {
    const { json } = await manage(target, maker, "POST", "/api/teams", { name, members: people });
    return String(json.id);
  };
  const read = async (person: Person, id: string) =>
    (await manage(target, person, "GET", `/api/teams/${id}`)).json as unknown as Team;

  it("by keyboard: a team is made, a colleague added, a canvas shared with it, and the colleague leaves", async () => {
    const canvas = await stage(target);
    const { owner } = canvas.people;
    const name = `Zoe ${Date.now()}`;
    const zoe = await target.signIn(freshEmail("zoe"), name);
    const { page } = await open(owner.email, "/account");
    await page.getByText(owner.email).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.getByRole("heading", { name: "Share with many at once" }).waitFor();
    await accessible(page);
    await button(page, "New team").press("Enter");
    const dialog = page.getByRole("dialog", { name: "New team" });
    await dialog.waitFor();
    await accessible(page);
    await page.keyboard.press("Enter");
    await dialog.locator(".field-error").filter({ hasText: /name/ }).waitFor();
    await page.keyboard.type("Design & <b>more</b>");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Design & <b>more</b>", level: 1 }).waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1) as string;
    await members(page).getByText(owner.email).waitFor();

    await page.getByLabel("Add members").focus();
    await page.keyboard.type(name);
    await page.getByRole("option", { name }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await members(page).getByText(zoe.email).waitFor();
    assert.deepEqual((await read(owner, id)).members, [owner.email, zoe.email].sort());
    await accessible(page);

    const sharing = await openSharing(dashboard, owner, canvas);
    await sharing.getByLabel("Add people and teams").focus();
    await sharing.keyboard.type("Design");
    await sharing.getByRole("option", { name: /^Design/ }).waitFor();
    await sharing.keyboard.press("ArrowDown");
    await sharing.keyboard.press("Enter");
    await sharing.keyboard.press("Enter");
    await message(sharing, "Team Design").waitFor();

    const { page: theirs } = await open(zoe.email, `/teams/${id}`);
    await theirs.getByText("1 canvas is shared with it.").waitFor();
    assert.equal(await theirs.getByLabel("Add members").count(), 0, "a member changes nothing");
    await button(theirs, "Leave…").press("Enter");
    const asked = theirs.getByRole("alertdialog", { name: "Leave the team?" });
    await asked.getByText(/can add you again/).waitFor();
    await accessible(theirs);
    await asked.getByRole("button", { name: "Leave", exact: true }).press("Enter");
    await theirs.getByRole("heading", { name: "Share with many at once" }).waitFor();
    assert.deepEqual((await read(owner, id)).members, [owner.email]);
    await theirs.goto(`${dashboard.base}/teams/${id}`);
    await theirs.getByRole("heading", { name: "There is nothing here" }).waitFor();
  });

  it("hostile names are text; who removes themself is asked; a removed member comes back by Undo", async () => {
    const ada = await target.signIn(freshEmail("ada"), HOSTILE);
    const id = await teamOf(ada, HOSTILE, [ada.email, "bo@else.test"]);
    const { page } = await open(ada.email, "/teams", {
      viewport: { width: 320, height: 640 },
      hasTouch: true,
    });
    const link = page.getByRole("link", { name: HOSTILE.replace("\u202e", "") });
    await link.waitFor();
    await accessible(page);
    await link.click();
    await members(page).getByText("Has not signed in yet").waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
    assert.match(await page.title(), /onerror/);
    assert.equal(await page.locator("main img").count(), 0);
    await button(page, "Remove bo@else.test").click();
    await members(page).getByText("bo@else.test").waitFor({ state: "detached" });
    await message(page, "Removed bo@else.test.").getByRole("button", { name: "Undo" }).click();
    await members(page).getByText("bo@else.test").waitFor();
    assert.equal(await button(page, `Remove ${ada.email}`).count(), 0);
    await button(page, "Leave…").click();
    await page.getByText("The team stays yours").waitFor();
    await button(page, "Leave").last().click();
    await button(page, "Add yourself").waitFor();
    assert.deepEqual((await read(ada, id)).members, ["bo@else.test"]);
    await button(page, "Add yourself").click();
    await members(page).getByText(ada.email).waitFor();
  });

  it("a team follows a group of its maker, and no longer", async () => {
    const [maker, other] = [await target.signIn(freshEmail("gea")), await target.signIn(freshEmail("hal"))];
    const id = await teamOf(maker, "Staff", ["bo@else.test"]);
    const group = "<b>staff</b>";
    await dashboard.env.db.run`insert into person_groups (user_id, name)
      select id, cast(${group} as text) from users where email in (${maker.email}, ${other.email})`;
    const { page } = await open(maker.email);
    await page.route("**/api/me", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), authMode: "oidc" } });
    });
    await page.goto(`${dashboard.base}/teams/${id}`);
    await button(page, "Follow a group…").press("Enter");
    await page.getByText("replace the 1 present member").waitFor();
    await page.getByRole("textbox", { name: "Group" }).fill("others");
    await page.keyboard.press("Enter");
    await page.getByText("You were not in this group at your last sign-in.").waitFor();
    await accessible(page);
    await page.getByRole("textbox", { name: "Group" }).fill(group);
    await page.keyboard.press("Enter");
    await message(page, "The team follows the group now. It has 2 members.").waitFor();
    await page.getByText(`The team follows the group ${group}.`).waitFor();
    assert.equal(await page.getByLabel("Add members").count(), 0, "the members are changed at the service");
    assert.deepEqual((await read(maker, id)).members, [maker.email, other.email].sort());
    await accessible(page);
    await button(page, "Stop following…").press("Enter");
    await button(page, "Stop following").last().press("Enter");
    await page.getByLabel("Add members").waitFor();
    assert.equal((await read(maker, id)).externalGroup, null);
  });

  it("a team is renamed, and deleted with what it takes away told", async () => {
    const canvas = await stage(target);
    const { owner, stranger } = canvas.people;
    const id = await teamOf(owner, "Old", [stranger.email, owner.email]);
    const teams = [{ id, role: "viewer" }];
    await manage(target, owner, "PUT", `/api/canvases/${canvas.id}/sharing`, { teams });
    const { page } = await open(owner.email, `/teams/${id}`);
    await button(page, "Rename").click();
    await page.getByRole("textbox", { name: "Name" }).fill("New");
    await accessible(page);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "New", exact: true, level: 1 }).waitFor();
    await button(page, "Delete…").click();
    await page.getByText("1 canvas is shared with it: its 2 members lose that access.").waitFor();
    await accessible(page);
    await button(page, "Delete the team").last().click();
    await page.waitForURL("**/teams");
    await message(page, "Deleted New.").waitFor();
    assert.equal((await manage(target, owner, "GET", `/api/teams/${id}`)).status, 404);
    assert.equal((await manage(target, stranger, "GET", `/api/canvases/${canvas.id}`)).status, 404);
  });

  it("1,000 members have pages and a filter, a pasted list is added at once, and no more than fit", async () => {
    const cy = await target.signIn(freshEmail("cy"));
    const crowd = Array.from({ length: 998 }, (_, index) => `p${index}@else.test`);
    const id = await teamOf(cy, "Everyone", crowd);
    const { page } = await open(cy.email, `/teams/${id}`);
    await page.getByText("1 to 50 of 998").waitFor();
    assert.equal(await members(page).getByRole("listitem").count(), 50);
    await button(page, "The next page").click();
    await page.getByText("51 to 100 of 998").waitFor();
    await page.getByLabel("Filter the members").fill("p997@");
    await members(page).getByText("p997@else.test").waitFor();
    assert.equal(await members(page).getByRole("listitem").count(), 1);
    await page.getByLabel("Filter the members").fill("");
    const field = page.getByRole("combobox", { name: "Add members" });
    await field.fill("one@else.test two@else.test three@else.test nobody");
    await field.press("Enter");
    await page
      .getByRole("alert")
      .getByText("A team can have at most 1,000 members. Nobody was added.")
      .waitFor();
    await accessible(page);
    await field.fill("one@else.test, p1@else.test");
    await field.press("Enter");
    await page.getByRole("heading", { name: "999 members" }).waitFor();
    await page.getByText("People who are members already were left out.").waitFor();
  });
});

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import type { Person } from "@easel/conformance/target";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";

const ADMIN = "ada@acme.test";
const HOSTILE = `<img src=x onerror="document.title='run'"> & "quotes"`;

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });
const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name });
const bothThemes = async (page: Page) => {
  for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
};
const fits = async (page: Page) => {
  await page.setViewportSize({ width: 320, height: 700 });
  assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url());
  await page.setViewportSize({ width: 1280, height: 720 });
};

describe("offboarding", { skip: noBrowser }, async () => {
  const settings = { SERVICE_ADMIN_EMAILS: ADMIN };
  const { base, target, open } = await startDashboard({ after }, { settings });
  const admin = await target.signIn(ADMIN);

  const call = async (person: Person, method: string, path: string, body?: object) => {
    const answer = await manage(target, person, method, path, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.status === 204 ? {} : answer.json;
  };
  const idOf = async (person: Person) => String((await call(person, "GET", "/api/me")).id);
  const make = async (owner: Person, title: string, editors: Person[] = []): Promise<string> => {
    const id = String((await call(owner, "POST", "/api/canvases", { title })).id);
    const people = editors.map(({ email }) => ({ email, role: "editor" }));
    await call(owner, "PUT", `/api/canvases/${id}/sharing`, { access: "private", people });
    return id;
  };
  const ownerOf = async (id: string) =>
    ((await call(admin, "GET", `/api/admin/canvases/${id}`)).owner as { email: string }).email;

  it("an administrator offboards a person by keyboard: the new owners own, the session ends", async () => {
    const [leo, bo, cy] = [
      await target.signIn("leo@acme.test"),
      await target.signIn("bo@acme.test"),
      await target.signIn("cy@acme.test"),
    ];
    const poll = await make(leo, "Poll", [bo]);
    const board = await make(leo, HOSTILE);
    await call(leo, "POST", "/api/teams", { name: "Design", members: [bo.email] });
    await call(leo, "POST", `/api/canvases/${board}/invites`, { email: "gil@guest.test" });
    const leoId = await idOf(leo);
    const { page } = await open(ADMIN, "/admin/people");
    await page.getByRole("searchbox").fill("leo@");
    await row(page, "leo@acme.test").waitFor();
    await row(page, "bo@acme.test").waitFor({ state: "detached" });
    await row(page, "leo@acme.test").focus();
    await bothThemes(page);
    await fits(page);
    await row(page, "leo@acme.test").press("Enter");
    await heading(page, "Leo").waitFor();
    await page.getByText("1 session, 0 access tokens").waitFor();
    await bothThemes(page);
    await fits(page);

    await page.getByRole("link", { name: "Offboard…" }).press("Enter");
    await heading(page, "Leo owns 2 canvases and 1 team").waitFor();
    await page.getByRole("list", { name: "They invited 1 guest" }).getByText("gil@guest.test").waitFor();
    await page.getByRole("list", { name: "Canvases" }).getByText(HOSTILE).waitFor();
    await bothThemes(page);
    await button(page, "Next: who takes it").press("Enter");
    await page.getByRole("radio", { name: /Somebody for each canvas/ }).focus();
    await page.keyboard.press("Space");
    // The editor of one canvas is proposed for it.
    const ofPoll = page.getByRole("combobox", { name: "New owner of Poll" });
    assert.equal(await ofPoll.inputValue(), bo.email);
    await button(page, "Next: what will happen").press("Enter");
    await page.getByText("Enter the e-mail address of the person who takes it.").waitFor();
    await bothThemes(page);
    await fits(page);
    await page.getByRole("combobox", { name: "Takes the rest" }).fill("nobody@acme.test");
    await button(page, "Next: what will happen").press("Enter");
    await page.getByText("Nobody who is active has signed in with this address.").waitFor();
    const rest = page.getByRole("combobox", { name: "Takes the rest" });
    await rest.fill("cy@");
    await page.getByRole("option", { name: /cy@acme.test/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("checkbox", { name: /End the access of 1 guest/ }).focus();
    await page.keyboard.press("Space");
    await button(page, "Next: what will happen").press("Enter");
    await heading(page, "This will happen").waitFor();
    await page.getByText(/bo@acme.test. takes 1 canvas:/).waitFor();
    await page.getByText(/cy@acme.test. takes 1 canvas and 1 team/).waitFor();
    await page.getByText("This ends 1 session for good.").waitFor();
    await page.getByText("1 guest whom they invited loses access at once.").waitFor();
    await bothThemes(page);
    await button(page, "Hand over").press("Enter");
    await heading(page, "Everything was handed over").waitFor();
    await page.getByText("owns nothing any more, and is deactivated").waitFor();
    await page.getByText("1 guest whom they invited has no access any more.").waitFor();
    assert.deepEqual((await call(admin, "GET", `/api/admin/users/${leoId}/guests`)).guests, []);
    await bothThemes(page);
    await fits(page);

    assert.deepEqual([await ownerOf(poll), await ownerOf(board)], [bo.email, cy.email]);
    const { teams } = await call(cy, "GET", "/api/teams");
    assert.deepEqual(
      (teams as { name: string }[]).map(({ name }) => name),
      ["Design"],
    );
    assert.equal((await manage(target, leo, "GET", "/api/me")).status, 401);
    await call(cy, "PATCH", `/api/canvases/${board}`, { title: "Mine" });
    assert.ok(!(await page.title()).startsWith("run"));
  });

  it("what fails in the middle is told with its code, stays to do after a reload, and is repeated", async () => {
    const [mia, fay, gus] = [
      await target.signIn("mia@acme.test"),
      await target.signIn("fay@acme.test"),
      await target.signIn("gus@acme.test"),
    ];
    const ids = [await make(mia, "One"), await make(mia, "Two"), await make(mia, "Three")];
    await call(mia, "POST", `/api/canvases/${ids[0]}/invites`, { email: "hal@guest.test" });
    const fayId = await idOf(fay);
    const quotas = (limit: number | null) =>
      call(admin, "PATCH", `/api/admin/users/${fayId}`, { quotas: { "canvases.person": limit } });
    await quotas(1);
    const path = `/admin/people/${await idOf(mia)}/offboarding`;
    const { page } = await open(ADMIN, `${path}?step=preview&to=${fay.email}`);
    await button(page, "Hand over").press("Enter");
    await heading(page, "1 of 3 handed over").waitFor();
    assert.equal(await page.getByText("QUOTA_EXCEEDED").count(), 2);
    await page.getByText("still owns 2 canvases, and is not deactivated").waitFor();
    await bothThemes(page);
    await fits(page);
    await button(page, "Try the rest again").press("Enter");
    await heading(page, "0 of 2 handed over").waitFor();

    await page.reload();
    await page.getByText(/fay@acme.test. takes 2 canvases/).waitFor();
    await quotas(null);
    // The connection breaks after the service has moved everything: the page learns what is left by reading again.
    await page.route("**/handover", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      await route.abort();
    });
    await button(page, "Hand over").press("Enter");
    await page.getByRole("alert").getByText("The service cannot be reached").waitFor();
    await bothThemes(page);
    await page.unroute("**/handover");
    await button(page, "Choose others").press("Enter");
    const owner = page.getByRole("combobox", { name: "New owner" });
    await owner.fill(gus.email);
    await button(page, "Next: what will happen").press("Enter");
    await button(page, "Hand over").press("Enter");
    await heading(page, "Everything was handed over").waitFor();
    const owners = await Promise.all(ids.map(ownerOf));
    assert.deepEqual(owners.toSorted(), [fay.email, gus.email, gus.email]);
    await page.goto(base + path);
    await heading(page, "Mia owns nothing, and is deactivated").waitFor();
    // Guests who keep their access can still be ended.
    await button(page, "End the access of hal@guest.test").press("Enter");
    await button(page, "End").press("Enter");
    await page.getByText("There is nothing left to do.").waitFor();
    await bothThemes(page);
  });
});

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import type { Person } from "@easel/conformance/target";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { type ConnectedTool, connectTool } from "../support/connected-tool.ts";
import { startDashboard } from "../support/dashboard.ts";

const ADMIN = "ada@acme.test";

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

describe("people in the administration", { skip: noBrowser }, async () => {
  const settings = { SERVICE_ADMIN_EMAILS: ADMIN };
  const { base, target, env, open } = await startDashboard({ after }, { settings });
  const admin = await target.signIn(ADMIN);

  const call = async (person: Person, method: string, path: string, body?: object) => {
    const answer = await manage(target, person, method, path, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.status === 204 ? {} : answer.json;
  };
  const idOf = async (person: Person) => String((await call(person, "GET", "/api/me")).id);

  it("rights and quotas are changed in place, deactivating can be undone, and nobody deactivates themself", async () => {
    const ivy = await target.signIn("ivy@acme.test");
    const id = await idOf(ivy);
    const read = () => call(admin, "GET", `/api/admin/users/${id}`);
    const { page } = await open(ADMIN, `/admin/people/${id}`);
    await page.getByRole("checkbox", { name: /May open canvases to everyone/ }).focus();
    await page.keyboard.press("Space");
    await page.getByText("Ivy may not open canvases to everyone.").waitFor();
    assert.equal((await read()).canPublishPublic, false);

    await button(page, /Limit of: Files that pages upload/).press("Enter");
    await page.getByRole("option", { name: "Their own limit" }).press("Enter");
    const limit = page.getByLabel("Own limit: Files that pages upload");
    await limit.fill("lots");
    await page.keyboard.press("Enter");
    await page.getByText("Enter an amount such as 5 GB or 500 MB.").waitFor();
    await bothThemes(page);
    await fits(page);
    await limit.fill("1.5 GB");
    await page.keyboard.press("Enter");
    await page.getByText("Saved the limit: 1.5 GB.").waitFor();
    assert.equal((await read()).quotas?.["files.bytes.person" as never], 1.5 * 1024 ** 3);

    await button(page, "Deactivate…").press("Enter");
    await page.getByText("You can undo that, but it ends 1 session for good.").waitFor();
    await bothThemes(page);
    await button(page, "Deactivate").press("Enter");
    await page.getByText("Deactivated Name of ivy.").waitFor();
    assert.equal((await manage(target, ivy, "GET", "/api/me")).status, 401);
    await button(page, "Undo").press("Enter");
    await page.getByText("Ivy may sign in again.").waitFor();
    assert.equal((await read()).deactivatedAt, null);
    assert.equal((await manage(target, ivy, "GET", "/api/me")).status, 401);

    const again = await target.signIn(ivy.email);
    await page.reload();
    await button(page, "Sign out…").press("Enter");
    await page.getByRole("alertdialog").waitFor();
    await bothThemes(page);
    await button(page, "Sign out").press("Enter");
    await page.getByText("Signed Name of ivy out everywhere.").waitFor();
    assert.equal((await manage(target, again, "GET", "/api/me")).status, 401);

    await page.goto(`${base}/admin/people/${await idOf(admin)}`);
    await page.getByText("You cannot deactivate your own account").waitFor();
    assert.ok(await button(page, "Deactivate…").isDisabled());
    await page.getByText("This right can be neither given nor taken away here").waitFor();
    await page.goto(`${base}/admin/people/none`);
    await heading(page, "There is nothing here").waitFor();
  });

  it("the tools of a person are ended, one or all of them", async () => {
    const kim = await target.signIn("kim@acme.test");
    const tools: ConnectedTool[] = [];
    for (let n = 0; n < 3; n++) tools.push(await connectTool(base, kim, { clientId: `client-${n}` }, env));
    const statuses = () => Promise.all(tools.map(async (tool) => (await tool.request("tools/list")).status));
    const { page } = await open(ADMIN, `/admin/people/${await idOf(kim)}`);
    await page.getByText("1 session, 0 access tokens, 3 connected tools").waitFor();
    await bothThemes(page);
    await button(page, "End Test tool").last().press("Enter");
    await button(page, "End").press("Enter");
    await page.getByText("Ended Test tool.").waitFor();
    assert.deepEqual(await statuses(), [401, 200, 200]);
    await button(page, "End all 2…").press("Enter");
    await button(page, "End all").press("Enter");
    await page.getByText("Ended 2 connected tools of Name of kim.").waitFor();
    await page.getByText("No tool acts for them.").waitFor();
    assert.deepEqual(await statuses(), [401, 401, 401]);
  });

  it("sessions and guests are ended, somebody is kept out before they come, and a person is erased", async () => {
    const [lea, rob] = [await target.signIn("lea@acme.test"), await target.signIn("rob@acme.test")];
    const second = await target.signIn(lea.email);
    const canvas = String((await call(lea, "POST", "/api/canvases", { title: "<b>Plans</b>" })).id);
    for (const email of ["one@guest.test", "two@guest.test"])
      await call(lea, "POST", `/api/canvases/${canvas}/invites`, { email });
    const id = await idOf(lea);
    await env.db
      .run`insert into identities (issuer, subject, user_id, created_at) values ('https://id.test', '<i>lea</i>', ${id}, 0)`;
    const { page } = await open(ADMIN, `/admin/people/${id}`);
    await heading(page, "Where they are signed in").waitFor();
    await page.getByText("<b>Plans</b>").first().waitFor();
    await bothThemes(page);
    await fits(page);
    await button(page, /^Sign out Unknown|^Sign out .*127/)
      .first()
      .press("Enter");
    await page.getByText("Ended 1 session of Name of lea.").waitFor();
    const stay = await Promise.all(
      [lea, second].map(async (who) => (await manage(target, who, "GET", "/api/me")).status),
    );
    assert.deepEqual(stay.sort(), [200, 401]);
    await button(page, "End the access of one@guest.test").press("Enter");
    await page.getByRole("alertdialog").getByText("one@guest.test loses access").waitFor();
    await bothThemes(page);
    await button(page, "End").press("Enter");
    await page.getByText("Ended the access of 1 guest.").waitFor();
    await button(page, "End the access of one@guest.test").waitFor({ state: "detached" });

    await page
      .getByRole("region", { name: "Accounts at sign-in services" })
      .getByText("<i>lea</i>")
      .waitFor();
    await button(page, "Unlink…").press("Enter");
    await page.getByRole("alertdialog").getByText("becomes this person").waitFor();
    await bothThemes(page);
    await button(page, "Unlink").press("Enter");
    await heading(page, "Accounts at sign-in services").waitFor({ state: "detached" });
    await page.getByText("They are signed in nowhere.").waitFor();

    await button(page, "Erase…").press("Enter");
    await page.getByText("the access of 1 guest they invited ends").waitFor();
    await bothThemes(page);
    await button(page, "Erase for good").press("Enter");
    await page.getByText("Choose who takes what they own.").waitFor();
    await page.getByText("That is not their address.").waitFor();
    await bothThemes(page);
    await page.getByRole("combobox", { name: "New owner of 1 canvas" }).fill(rob.email);
    await page.getByRole("textbox", { name: "Type their e-mail address to confirm" }).fill(lea.email);
    await button(page, "Erase for good").press("Enter");
    await heading(page, "Deleted person").waitFor();
    await page.getByText("Erased", { exact: true }).waitFor();
    assert.equal(await button(page, "Reactivate").count(), 0);
    await bothThemes(page);
    await fits(page);
    const owner = (await call(admin, "GET", `/api/admin/canvases/${canvas}`)).owner as { email: string };
    assert.equal(owner.email, rob.email);

    await page.goto(`${base}/admin/people`);
    await button(page, "Add a person…").press("Enter");
    await page.getByRole("textbox", { name: "E-mail address" }).fill("eve@acme.test");
    await page.getByRole("checkbox", { name: /They cannot sign in/ }).focus();
    await page.keyboard.press("Space");
    await bothThemes(page);
    await fits(page);
    await button(page, "Add").press("Enter");
    await heading(page, /^Eve$/).waitFor();
    await page.getByText("Deactivated", { exact: true }).first().waitFor();
    await assert.rejects(target.signIn("eve@acme.test"));
  });

  it("of 2,000 people only those in view are in the document, and Ctrl End leads to the last", async () => {
    await env.db
      .run`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 2000)
      insert into users (id, email, name, created_at)
      select '0' || n, 'p' || (10000 + n) || '@many.test', 'Person ' || (10000 + n), 0 from numbers`;
    const { page } = await open(ADMIN, "/admin/people?q=many.test");
    const rows = page.getByRole("row");
    await row(page, "Person 10999").waitFor();
    await row(page, "Person 10999").focus();
    assert.ok((await rows.count()) <= 60);
    await page.keyboard.press("Control+End");
    await page.locator('[role="row"]:focus').filter({ hasText: "Person 10001" }).waitFor();
    assert.ok((await rows.count()) <= 60);
    assert.equal(await page.getByRole("grid").getAttribute("aria-rowcount"), "2001");
    await page.goto(`${base}/admin/people?q=nobody-has-this&show=nonsense`);
    await heading(page, "Nobody is found").waitFor();
    await bothThemes(page);
    await fits(page);
    await button(page, "Show everyone").press("Enter");
    await page.waitForURL(`${base}/admin/people`);
  });
});

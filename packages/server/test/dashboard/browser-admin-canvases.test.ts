import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import type { Person } from "@easel/conformance/target";
import type { AdminCanvas, Organisation } from "@easel/protocol/management";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";

const ADMIN = "ada@acme.test";
const HOSTILE = `<img src=x onerror="document.title='run'"> & "quotes"`;

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });
const bothThemes = async (page: Page) => {
  for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
};
const fits = async (page: Page) => {
  await page.setViewportSize({ width: 320, height: 700 });
  assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url());
  await page.setViewportSize({ width: 1280, height: 720 });
};

describe("canvases and organisations in the administration", { skip: noBrowser }, async () => {
  const settings = { SERVICE_ADMIN_EMAILS: ADMIN, SERVICE_TENANCY: "on" };
  const { base, target, open } = await startDashboard({ after }, { settings });
  const admin = await target.signIn(ADMIN);
  const call = async (person: Person, method: string, path: string, body?: object) => {
    const answer = await manage(target, person, method, path, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.status === 204 ? {} : answer.json;
  };
  const make = async (person: Person, title: string): Promise<string> =>
    String((await call(person, "POST", "/api/canvases", { title })).id);
  const read = async (id: string) =>
    (await call(admin, "GET", `/api/admin/canvases/${id}`)) as unknown as AdminCanvas;
  const orgOf = async (id: string) =>
    (await call(admin, "GET", `/api/admin/orgs/${id}`)) as unknown as Organisation;

  it("a canvas is disabled with a reason that its owner reads, and enabled by Undo", async () => {
    const bo = await target.signIn("bo@acme.test");
    const id = await make(bo, HOSTILE);
    const { page } = await open(ADMIN, "/admin/canvases");
    await page.getByText("Content, data and the people with whom a canvas is shared").waitFor();
    await page.getByRole("searchbox").fill("bo@acme");
    await page.waitForURL(`${base}/admin/canvases?q=bo%40acme`);
    await row(page, HOSTILE).waitFor();
    await bothThemes(page);
    await fits(page);
    await row(page, HOSTILE).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/admin/canvases/${id}`);
    await page.getByText("Administrators see no content here").waitFor();
    await bothThemes(page);
    await fits(page);

    await button(page, "Disable…").press("Enter");
    await page.getByLabel("Reason").fill(`Against the rules: ${HOSTILE}`);
    await bothThemes(page);
    await fits(page);
    await button(page, "Disable").press("Enter");
    await page.getByText("Disabled by an administrator").waitFor();
    assert.equal((await read(id)).disabledReason, `Against the rules: ${HOSTILE}`);
    const owner = (await open(bo.email, `/canvases/${id}`)).page;
    await owner.getByText("Against the rules:").waitFor();
    await owner.close();
    await button(page, "Undo").press("Enter");
    await page.getByText("Disabled by an administrator").waitFor({ state: "detached" });
    assert.equal((await read(id)).disabledAt, null);
    assert.ok(!(await page.title()).startsWith("run"));
  });

  it("who gets into a canvas is explained, its owner changes, and a deleted one is restored", async () => {
    const [cy, di] = [await target.signIn("cy@acme.test"), await target.signIn("di@acme.test")];
    const id = await make(cy, "Board");
    const { page } = await open(ADMIN, `/admin/canvases/${id}`);
    const whom = page.getByRole("combobox", { name: "Person" });
    await whom.scrollIntoViewIfNeeded();
    await whom.focus();
    await page.keyboard.type("di@acme.test");
    await page.getByRole("option", { name: /di@acme.test/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "Step by step" }).waitFor();
    await page.locator(".step.refused").waitFor();
    await bothThemes(page);
    await fits(page);

    await button(page, "Change the owner…").press("Enter");
    const owner = page.getByRole("combobox", { name: "New owner" });
    await owner.fill("nobody@acme.test");
    await button(page, "Change the owner").press("Enter");
    await page.getByText("Nobody has signed in with the address of the new owner.").waitFor();
    await bothThemes(page);
    await owner.fill(di.email);
    await button(page, "Change the owner").press("Enter");
    await page.getByText("owns Board now.").waitFor();
    assert.equal((await read(id)).owner.email, di.email);

    await call(di, "DELETE", `/api/canvases/${id}`);
    await page.goto(`${base}/admin/canvases?show=deleted`);
    await row(page, "Board").focus();
    await page.keyboard.press("Enter");
    await button(page, "Restore").press("Enter");
    await page.getByText("Restored Board.").waitFor();
    assert.equal((await read(id)).deletedAt, null);
    await page.goto(`${base}/admin/canvases?q=zebra&show=nonsense`);
    await page.getByRole("heading", { name: "No canvas is found" }).waitFor();
    await bothThemes(page);
  });

  it("a domain moves to another organisation once it was said whose access changes", async () => {
    await target.signIn("eve@globex.test");
    const { page } = await open(ADMIN, "/admin/organisations");
    await page.getByRole("heading", { name: "There are no organisations" }).waitFor();
    await bothThemes(page);
    await button(page, "New organisation").press("Enter");
    await page.getByLabel("Id", { exact: true }).fill("Acme!");
    await page.getByLabel("Name").fill(HOSTILE);
    await page.getByLabel("Domains").fill("@Globex.test, not a_domain");
    await button(page, "Add").press("Enter");
    await page.getByText("Use lower-case letters, digits and hyphens").waitFor();
    await page.locator(".field-error").filter({ hasText: "is not a domain" }).waitFor();
    await bothThemes(page);
    await fits(page);
    await page.getByLabel("Id", { exact: true }).fill("acme");
    await page.getByLabel("Domains").fill("@Globex.test");
    await button(page, "Add").press("Enter");
    await page.getByText("1 person becomes a member:").waitFor();
    await bothThemes(page);
    await button(page, "Save with these changes").press("Enter");
    await page.waitForURL(`${base}/admin/organisations/acme`);
    await page.getByRole("heading", { name: "1 member" }).waitFor();
    assert.deepEqual((await orgOf("acme")).domains, ["globex.test"]);

    await call(admin, "PUT", "/api/admin/orgs/other", { name: "Other", domains: ["other.test"] });
    await page.goto(`${base}/admin/organisations/other`);
    await page.getByLabel("Domains").fill("other.test\nglobex.test");
    await button(page, "Save").press("Enter");
    await page.getByText(/globex.test. moves here from/).waitFor();
    await page.getByText(/eve@globex.test/).waitFor();
    assert.deepEqual((await orgOf("acme")).domains, ["globex.test"]);
    await bothThemes(page);
    await fits(page);
    await button(page, "Save with these changes").press("Enter");
    await page.getByText("Saved Other.").waitFor();
    assert.deepEqual((await orgOf("other")).domains, ["globex.test", "other.test"]);
    assert.deepEqual((await orgOf("acme")).domains, []);

    await button(page, "Delete…").press("Enter");
    await page.getByText("1 person is not a member any more:").waitFor();
    await page.getByLabel("Type other to delete it").fill("othe");
    await page.keyboard.press("Enter");
    await page.getByText("This is not the id.").waitFor();
    await bothThemes(page);
    await page.getByLabel("Type other to delete it").fill("other");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/admin/organisations`);
    assert.equal((await manage(target, admin, "GET", "/api/admin/orgs/other")).status, 404);
    await page.getByText("No domain: nobody is a member.").waitFor();
    assert.ok(!(await page.title()).startsWith("run"));
  });
});

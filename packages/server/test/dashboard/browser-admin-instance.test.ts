import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import type { Person } from "@easel/conformance/target";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { connectTool } from "../support/connected-tool.ts";
import { startDashboard } from "../support/dashboard.ts";
import { DAY_MS } from "../support/time.ts";

const ADMIN = "ada@acme.test";
const HOSTILE = '<img src=x onerror="alert(1)">';

describe("the administration of the instance", { skip: noBrowser }, async () => {
  const { base, env, target, open } = await startDashboard(
    { after },
    { settings: { SERVICE_ADMIN_EMAILS: ADMIN, SERVICE_AI_GUEST_USD: "2" } },
  );
  let admin: Person;
  before(async () => {
    admin = await target.signIn(ADMIN);
  });

  const accessible = async (page: Page) => {
    for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
  };
  const fitsPhone = async (page: Page) => {
    const size = page.viewportSize();
    await page.setViewportSize({ width: 320, height: 700 });
    await until("the page fits", () => page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
    if (size !== null) await page.setViewportSize(size);
  };

  it("the overview begins with what needs attention, and each leads to its list", async () => {
    const { page } = await open(ADMIN, "/admin");
    await page.getByText("Nothing needs you now.").waitFor();
    await accessible(page);
    const { people, id } = await stage(target);
    const soon = Date.now() + DAY_MS;
    await env.db.run`update canvases set expires_at = ${soon} where id = ${id}`;
    await env.db.run`update users set deactivated_at = 1 where email = ${people.owner.email}`;
    await page.reload();
    const attention = page.getByRole("region", { name: "Needs attention" });
    await attention.getByRole("link", { name: /1 deactivated person still owns canvases/ }).waitFor();
    const expiring = attention.getByRole("link", { name: /1 canvas expires within seven days/ });
    assert.match((await expiring.getAttribute("href")) ?? "", /^\/admin\/canvases\?show=sharesExpiring$/);
    await page.getByRole("region", { name: "People" }).getByText("Here within 30 days").waitFor();
    await accessible(page);
    await fitsPhone(page);
    await env.db.run`update canvases set expires_at = null, deleted_at = 1 where id = ${id}`;
  });

  it("a setting is changed, is in effect, and goes back to its default", async () => {
    const { page } = await open(ADMIN, "/admin/settings");
    const line = page.getByRole("listitem").filter({ hasText: "AI, one guest in all" });
    await line.getByText("$2.00").waitFor();
    await accessible(page);
    await fitsPhone(page);
    await line.getByRole("button", { name: "Change: AI, one guest in all" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "AI, one guest in all" });
    await dialog.getByLabel("US dollars").fill("much");
    await page.keyboard.press("Enter");
    await dialog.getByText("Give an amount of US dollars").waitFor();
    await accessible(page);
    await dialog.getByLabel("US dollars").fill("$3.50");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await line.getByText("$3.50").waitFor();
    await line.getByText("Set here").waitFor();
    const settings = async () =>
      ((await manage(target, admin, "GET", "/api/admin/settings")).json.ai as { guestUsd: number }).guestUsd;
    assert.equal(await settings(), 3.5);
    await line.getByRole("button", { name: /^Change/ }).click();
    await dialog.getByRole("button", { name: "Use the default" }).click();
    await line.getByText("$2.00").waitFor();
    await line.getByText("Environment").waitFor();
    assert.equal(await settings(), 2);
    await page.getByRole("searchbox", { name: "Search settings" }).fill("no such setting");
    await page.getByText("No setting contains this text").waitFor();
    await page.waitForURL(/q=no\+such\+setting|q=no%20such%20setting/);
    assert.equal(await page.getByText("••••").count(), 0);
  });

  it("a switch is changed, and a refusal of the service stands in the dialog", async () => {
    const { page } = await open(ADMIN, "/admin/settings?q=SERVICE_PUBLIC_LINKS");
    await page.getByRole("button", { name: "Change: Public links" }).click();
    const dialog = page.getByRole("dialog", { name: "Public links" });
    await dialog.getByText("Allowed").click();
    await page.route("**/api/admin/settings", (route) =>
      route.fulfill({
        status: 400,
        contentType: "application/json",
        body: JSON.stringify({ code: "INVALID_BODY", message: "Not now.", requestId: "r-1" }),
      }),
    );
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").getByText("Not now.").waitFor();
    await accessible(page);
    await page.unroute("**/api/admin/settings");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page
      .getByRole("listitem")
      .filter({ hasText: "Public links" })
      .getByText("off", { exact: true })
      .waitFor();
    await manage(target, admin, "PATCH", "/api/admin/settings", { publicLinks: null });
  });

  it("quotas: a size is changed, and people with quotas of their own are listed", async () => {
    const person = await target.signIn("quota@acme.test", HOSTILE);
    const { id } = (await manage(target, person, "GET", "/api/me")).json;
    const quotas = { "canvases.person": 3 };
    await manage(target, admin, "PATCH", `/api/admin/users/${id}`, { quotas });
    const { page } = await open(ADMIN, "/admin/quotas");
    const own = page.getByRole("region", { name: "People with quotas of their own" });
    await own.getByRole("link", { name: HOSTILE }).waitFor();
    await own.getByText("Canvases of a person: 3").waitFor();
    await accessible(page);
    await fitsPhone(page);
    await page.getByRole("button", { name: "Change: One uploaded file" }).click();
    const dialog = page.getByRole("dialog", { name: "One uploaded file" });
    await dialog.getByLabel("Size").fill("10 MB");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page
      .getByRole("row", { name: /One uploaded file/ })
      .getByText("10 MB")
      .waitFor();
    const settings = (await manage(target, admin, "GET", "/api/admin/settings")).json;
    assert.equal((settings.quotas as Record<string, number>)["files.bytes.file"], 10 * 1024 ** 2);
  });

  it("AI spend: empty, then by day, model, person and canvas", async () => {
    const { page } = await open(ADMIN, "/admin/ai");
    await page.getByText("No AI requests on these days").waitFor();
    await accessible(page);
    const site = await stage(target);
    const { id } = (await manage(target, site.people.owner, "GET", "/api/me")).json;
    const now = Date.now();
    for (let index = 0; index < 12; index++)
      await env.db.run`insert into ai_requests
        (id, canvas_id, user_id, guest, model, started_at, ended_at, state, reserved, cost, input_tokens, output_tokens)
        values (${`spend-${index}`}, ${site.id}, ${String(id)}, 0, ${`model-${index}`}, ${now}, ${now}, 'done', 0, ${1e9 * (index + 1)}, 10, 5)`;
    await page.reload();
    await page.getByText("$78.00").first().waitFor();
    await page.getByRole("table", { name: "Models" }).getByText("model-11").waitFor();
    await page.getByRole("table", { name: "People" }).getByText(site.people.owner.email).waitFor();
    await accessible(page);
    await page.getByRole("button", { name: "Show all 12" }).click();
    await page.getByRole("table", { name: "Models" }).getByText("model-0", { exact: true }).waitFor();
    await page.getByRole("combobox", { name: "Days" }).selectOption("Last month");
    await page.getByText("No AI requests on these days").waitFor();
    assert.match(page.url(), /from=\d{4}-\d\d-01&to=/);
    await fitsPhone(page);
  });

  it("AI tools: none, then by program, and one is ended for everyone", async () => {
    const { page } = await open(ADMIN, "/admin/tools");
    await page.getByRole("heading", { name: "Nobody has connected a tool" }).waitFor();
    await page.getByText("On: their names are not verified").waitFor();
    await page.getByText("At any host").waitFor();
    const people = [admin, await target.signIn("lou@acme.test")];
    const tools = [];
    for (const person of people)
      tools.push(await connectTool(base, person, { clientId: "https://tool.test/" }, env));
    const other = await connectTool(base, admin, { clientId: "registered" }, env);
    await env.db
      .run`update apps set client_name = ${`Editor ${HOSTILE}`}, verified = 0 where id = ${other.id}`;
    await manage(target, admin, "POST", "/api/tokens", { name: "Mine", audience: "mcp" });
    await page.reload();
    const used = page.getByRole("listitem").filter({ hasText: "Test tool" });
    await used.getByText("2 people, never used").waitFor();
    await page.getByRole("listitem").filter({ hasText: HOSTILE }).getByText("Name not verified").waitFor();
    await page.getByText("Access tokens for AI tools").waitFor();
    assert.equal(await page.locator("img[src=x]").count(), 0);
    await accessible(page);
    await fitsPhone(page);
    await page.getByRole("button", { name: "End Test tool for everyone" }).press("Enter");
    await page.getByRole("button", { name: "End for everyone", exact: true }).press("Enter");
    await page.getByText("Ended 2 connected tools of Test tool.").waitFor();
    await used.waitFor({ state: "detached" });
    const statuses = [...tools, other].map(async (tool) => (await tool.request("tools/list")).status);
    assert.deepEqual(await Promise.all(statuses), [401, 401, 200]);
    const link = page.getByRole("link", { name: /^What it has changed/ });
    assert.equal(
      new URL(String(await link.getAttribute("href")), base).searchParams.get("client"),
      `Editor ${HOSTILE}`,
    );
  });

  it("health: the parts, this node, and the notice of path mode", async () => {
    const { page } = await open(ADMIN, "/admin/health");
    await page.getByText("Canvases share this page's origin.").waitFor();
    await page.getByText("All answer").waitFor();
    await page.getByText("Answered this page").waitFor();
    await accessible(page);
    await fitsPhone(page);
    const { tryWrite } = env.blobs;
    env.blobs.tryWrite = () => Promise.reject(new Error("no disk"));
    try {
      await page.getByRole("button", { name: "Ask again" }).click();
      await page.getByText("1 part not well").waitFor();
    } finally {
      env.blobs.tryWrite = tryWrite;
    }
    await accessible(page);
  });

  it("a screen whose data is refused says why", async () => {
    const { page } = await open(ADMIN, "/admin/health");
    await page.getByText("All answer").waitFor();
    const body = JSON.stringify({
      code: "INTERNAL_ERROR",
      message: "Something is wrong here.",
      requestId: "r-2",
    });
    await page.route("**/api/admin/**", (route) =>
      route.fulfill({ status: 500, contentType: "application/json", body }),
    );
    for (const name of ["Overview", "Quotas", "Settings", "AI spend", "Audit log", "Health"]) {
      await page
        .getByRole("navigation", { name: "Screens of the administration" })
        .getByRole("link", { name, exact: true })
        .click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await page.getByRole("alert").getByText("Something is wrong here.").first().waitFor();
    }
    await accessible(page);
  });

  it("somebody who is no administrator gets no data", async () => {
    const screens = ["overview", "settings", "audit"];
    const { page } = await open("bo@acme.test", "/admin/audit?q=x");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    for (const screen of screens) {
      await page.goto(`${base}/admin/${screen}`);
      await page.getByRole("heading", { name: "Only administrators see this" }).waitFor();
    }
    assert.deepEqual(
      asked.filter((path) => path.startsWith("/api/admin")),
      [],
    );
    await accessible(page);
  });
});

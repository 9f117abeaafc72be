import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import type { ConnectionProfile } from "@easel/protocol/management";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { startExternalApi } from "../support/external-api.ts";

const ADMIN = "ada@acme.test";
const HOSTILE = `<img src=x onerror="document.title='run'"> & "quotes"`;
const SECRET = "Bearer marked-as-a-secret";

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const bothThemes = async (page: Page) => {
  for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
};
const fits = async (page: Page) => {
  await page.setViewportSize({ width: 320, height: 700 });
  assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url());
  await page.setViewportSize({ width: 1280, height: 720 });
};

describe("Connections in the administration", { skip: noBrowser }, async () => {
  const api = await startExternalApi({ after }, ({ url }) => ({
    status: url === "/up" ? 200 : 404,
    body: "hello",
  }));
  const { base, target, env, open } = await startDashboard(
    { after },
    {
      settings: {
        ...api.settings,
        SERVICE_ADMIN_EMAILS: ADMIN,
        SERVICE_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      },
    },
  );
  const admin = await target.signIn(ADMIN);
  const bo = await target.signIn("bo@acme.test");
  const profileOf = async (name: string) => {
    const { json } = await manage(target, admin, "GET", "/api/admin/connections");
    return (json.connections as ConnectionProfile[]).find(({ profile }) => profile === name);
  };

  it("one is added, tested against a server, and granted, by keyboard; its secret is never shown", async () => {
    const { json } = await manage(target, bo, "POST", "/api/canvases", { title: HOSTILE });
    const { page } = await open(ADMIN, "/admin/connections");
    await page.getByRole("heading", { name: "There are no Connections" }).waitFor();
    await bothThemes(page);
    await button(page, "New Connection").press("Enter");
    await page.getByLabel("Name", { exact: true }).fill("Tickets!");
    await page.getByLabel("Origin").fill("http://localhost");
    await page.keyboard.press("Enter");
    await page.getByText("Use lower-case letters, digits").waitFor();
    await page.getByText("Enter https:// and a host name").waitFor();
    await bothThemes(page);
    await fits(page);
    await page.getByLabel("Name", { exact: true }).fill("tickets");
    await page.getByLabel("Origin").fill(api.origin);
    await page.getByRole("radio", { name: /Set headers/ }).focus();
    await page.keyboard.press("Space");
    await page.getByLabel("Name of header 1").fill("host");
    const value = page.getByLabel("Value of header 1");
    await value.fill(SECRET);
    assert.equal(await value.getAttribute("type"), "password");
    await page.keyboard.press("Enter");
    // The service refuses it: the sentence stands at the headers.
    await page.getByText("cannot be a protected header").waitFor();
    await page.getByLabel("Name of header 1").fill("authorization");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/admin/connections/tickets`);
    await page.getByRole("radio", { name: /Keep the stored ones/ }).waitFor();
    await bothThemes(page);
    await fits(page);
    assert.ok(!(await page.content()).includes("marked-as-a-secret"));
    assert.deepEqual((await profileOf("tickets"))?.headerNames, ["authorization"]);

    await page.getByLabel("Path").fill("/up");
    await page.keyboard.press("Enter");
    await page.getByText("The server answered 200 with 5 bytes").waitFor();
    assert.equal(api.requests.at(-1)?.headers.authorization, SECRET);
    await page.getByLabel("Path").fill("/../up");
    await page.keyboard.press("Enter");
    await page.locator(".field-error").filter({ hasText: "must be a path" }).waitFor();
    await page.getByLabel("Path").fill("/none");
    await page.keyboard.press("Enter");
    await page.getByText("The server answered 404").waitFor();

    const add = page.getByRole("combobox", { name: "Add a canvas" });
    // The proposals close when the page scrolls to the field.
    await add.scrollIntoViewIfNeeded();
    await add.focus();
    await page.keyboard.type("bo@acme");
    await page.getByRole("option").filter({ hasText: "onerror" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: HOSTILE }).waitFor();
    await button(page, `Change who may use it: ${HOSTILE}`).press("Enter");
    await page.getByRole("checkbox", { name: /Visitors of its public link/ }).focus();
    await page.keyboard.press("Space");
    await page.getByLabel("Requests a day").fill("0");
    await page.keyboard.press("Enter");
    await page.getByText("Enter a whole number from 1 on").waitFor();
    await page.getByLabel("Paths that guests").fill("/up?x");
    await page.getByLabel("Requests a day").fill("100");
    await page.keyboard.press("Enter");
    await page.locator(".field-error").filter({ hasText: "must be a path" }).waitFor();
    await bothThemes(page);
    await fits(page);
    await page.getByLabel("Paths that guests").fill("/up");
    await button(page, "Save").last().press("Enter");
    await page.getByText("visitors of the public link; these: only 1 path and 100 requests a day").waitFor();
    const { canvasId, limits } = (await profileOf("tickets"))?.grants[0] ?? assert.fail("no grant");
    assert.deepEqual([canvasId, limits], [json.id, { paths: ["/up"], requestsPerDay: 100 }]);

    await page.getByText("There are none.").waitFor();
    const day = Math.floor(Date.now() / 86_400_000);
    for (const outcome of ["2xx", "5xx"])
      await env.db.run`insert into connection_calls (canvas_id, profile, day, outcome, up_to_ms, calls, ms)
        values (${String(json.id)}, 'tickets', ${day}, ${outcome}, 20, 3, 45)`;
    await page.reload();
    await page.getByRole("img", { name: /Calls of tickets by day.* The most is 6 calls/ }).waitFor();
    await page.getByText("As a table").focus();
    await page.keyboard.press("Enter");
    await page
      .getByRole("table", { name: "Calls of tickets by day" })
      .getByText("6", { exact: true })
      .waitFor();
    await bothThemes(page);

    await button(page, `Revoke ${HOSTILE}`).press("Enter");
    await page.getByText("None yet.").waitFor();
    await button(page, "Undo").press("Enter");
    await page.getByRole("link", { name: HOSTILE }).waitFor();
    assert.deepEqual((await profileOf("tickets"))?.grants[0]?.limits, limits);
    assert.ok(!(await page.title()).startsWith("run"));
  });

  it("another origin needs the headers again; a profile is disabled and deleted", async () => {
    const headers = { "x-key": SECRET };
    const body = { origin: api.origin, methods: ["GET"], headers };
    await manage(target, admin, "PUT", "/api/admin/connections/second", body);
    const { page } = await open(ADMIN, "/admin/connections");
    await page.getByRole("link", { name: "second" }).press("Enter");
    await page.getByLabel("Origin").fill("https://other.example");
    await page.getByRole("checkbox", { name: /Enabled/ }).focus();
    await page.keyboard.press("Space");
    await button(page, "Save").press("Enter");
    await page.getByRole("alert").getByText("belong to the old origin").waitFor();
    await bothThemes(page);
    await page.getByRole("radio", { name: /Remove them/ }).focus();
    await page.keyboard.press("Space");
    await button(page, "Save").press("Enter");
    await page.getByText("Saved second.").waitFor();
    const stored = await profileOf("second");
    assert.deepEqual(
      [stored?.origin, stored?.enabled, stored?.headerNames],
      ["https://other.example", false, []],
    );
    await button(page, "Delete…").press("Enter");
    await page.getByRole("alertdialog").waitFor();
    await bothThemes(page);
    await button(page, "Delete").press("Enter");
    await page.waitForURL(`${base}/admin/connections`);
    await page.getByText("Deleted second.").waitFor();
    assert.equal(await profileOf("second"), undefined);
    await page.goto(`${base}/admin/connections/second`);
    await page.getByRole("heading", { name: "There is nothing here" }).waitFor();
  });
});

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import type { Person } from "@easel/conformance/target";
import type { Page } from "playwright-core";
import { KNOWN_ACTS } from "../../../dashboard/src/screens/admin/audit/sentences.ts";
import { ACTS } from "../../src/management/acts.ts";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";

const ADMIN = "ada@acme.test";
const HOSTILE = '<img src=x onerror="alert(1)">';

it("the audit log has a sentence for every act that it records", () => {
  const recorded = ACTS.filter(({ audited }) => audited).map(({ name }) => name);
  assert.deepEqual(
    recorded.filter((name) => !KNOWN_ACTS.includes(name)),
    [],
  );
});

describe("the audit log on a screen", { skip: noBrowser }, async () => {
  const { env, target, open } = await startDashboard(
    { after },
    { settings: { SERVICE_ADMIN_EMAILS: ADMIN } },
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

  it("an act is found, opened, filtered by it, and exported", async () => {
    const site = await stage(target);
    const path = `/api/admin/canvases/${site.id}/disable`;
    await manage(target, admin, "POST", path, { reason: HOSTILE });
    const { page } = await open(ADMIN, "/admin/audit");
    const grid = page.getByRole("grid", { name: "Entries of the audit log" });
    await grid.waitFor();
    await accessible(page);
    await page.getByRole("combobox", { name: "Act" }).selectOption("canvas.disable");
    await page.getByRole("searchbox", { name: "Search all texts" }).fill("onerror");
    await page.waitForURL(/act=canvas\.disable/);
    await page.waitForURL(/q=onerror/);
    const row = grid.getByRole("row", { name: /disabled a canvas/ });
    await row.waitFor();
    assert.equal(await grid.getByRole("row").count(), 2, "the head and the entry");
    await row.getByRole("rowheader").focus();
    await page.keyboard.press("Enter");
    const entry = page.getByRole("region", { name: /ada@acme\.test disabled a canvas/ });
    await entry.getByText(`"canvasId": "${site.id}"`).waitFor();
    assert.equal(await page.locator("img[src=x]").count(), 0);
    await accessible(page);
    await fitsPhone(page);
    const saved = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export as JSON lines" }).click();
    const file = await (await saved).path();
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).canvasId),
      [site.id],
    );
    await entry.getByRole("button", { name: "All on this canvas" }).click();
    await page.waitForURL(new RegExp(`canvas=${site.id}`));
    await entry.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "End the filter by canvas" }).click();
    await page.getByRole("searchbox", { name: "Search all texts" }).fill("nothing has this text");
    await page.getByText("No entry matches").waitFor();
    await accessible(page);
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await grid.waitFor();
    assert.equal(new URL(page.url()).search, "");
    assert.equal(await page.getByRole("searchbox", { name: "Search all texts" }).inputValue(), "");
  });

  it("an entry names the AI tool that acted for the person", async () => {
    const via = JSON.stringify({ client: `Agent ${HOSTILE}`, tool: "share_canvas" });
    await env.db.run`
      insert into audit (id, at, actor_id, actor_email, act, address, via)
      values ('00000000-0000-7000-8000-00000000000a', 1, 'x', 'tool@acme.test', 'canvas.share', '::1', ${via})`;
    const { page } = await open(ADMIN, "/admin/audit?actor=tool@acme.test");
    const row = page.getByRole("row", { name: /through .Agent/ });
    await row.getByRole("rowheader").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /^tool@acme.test, through .*Agent/ }).waitFor();
    assert.match(
      (await page.getByRole("heading", { name: /^tool@acme.test/ }).innerText()).replace(
        /[\u2068\u2069]/g,
        "",
      ),
      /, through Agent .* \(share_canvas\), changed the sharing/,
    );
    assert.equal(await page.locator("img[src=x]").count(), 0);
    await page.getByRole("button", { name: "All through this program" }).press("Enter");
    await page.getByRole("button", { name: "End the filter by program" }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("client"), `Agent ${HOSTILE}`);
    await row.waitFor();
  });

  it("an entry of the shell names the user of the machine, and has no address", async () => {
    const details = JSON.stringify({ email: "bo@acme.test", deactivated: true, osUser: `root ${HOSTILE}` });
    await env.db.run`
      insert into audit (id, at, actor_id, actor_email, act, address, details)
      values ('00000000-0000-7000-8000-00000000000b', 1, 'shell', 'shell', 'user.update', '', ${details})`;
    const { page } = await open(ADMIN, "/admin/audit?act=user.update");
    await page
      .getByRole("rowheader", { name: /^The shell \(root <img.*\) deactivated bo@acme\.test/ })
      .focus();
    await page.keyboard.press("Enter");
    const entry = page.getByRole("region", { name: /^The shell \(root/ });
    await entry.getByText(/^Thursday, 1 January 1970 at [^,]*$/).waitFor();
    assert.equal(await page.locator("img[src=x]").count(), 0);
    await entry.getByRole("button", { name: "All from the shell" }).click();
    await page.waitForURL(/actor=shell/);
    await page.getByRole("rowheader", { name: /^The shell/ }).waitFor();
  });

  it("Escape closes an entry, and the focus goes back to its row", async () => {
    const { page } = await open(ADMIN, "/admin/audit?act=canvas.disable");
    const row = page.getByRole("row", { name: /disabled a canvas/ });
    await row.first().getByRole("rowheader").focus();
    await page.keyboard.press("Enter");
    const entry = page.getByRole("region", { name: /disabled a canvas/ });
    await entry.waitFor();
    await page.keyboard.press("Escape");
    await entry.waitFor({ state: "detached" });
    await page.locator("[role=row]:focus, [role=row] :focus").waitFor();
  });

  it("of 2,000 entries few rows are in the document, and the keyboard reaches the last one", async () => {
    const numbers = JSON.stringify(
      Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [String(n).padStart(5, "0"), 1])),
    );
    await env.db.run`
      insert into audit (id, at, actor_id, actor_email, act, target, address)
      select '00000000-0000-7000-8000-' || '0000000' || key, 5, 'many', 'many@acme.test', 'team.update', 'entry ' || key, '::1'
      from json_each(${numbers}) where true`;
    const { page } = await open(ADMIN, "/admin/audit?actor=many@acme.test");
    const grid = page.getByRole("grid");
    const first = grid.getByRole("row", { name: /changed a team/ }).first();
    await first.getByRole("rowheader").focus();
    // The key reaches the last entry that is known, and the list may have read only its first part.
    await until("the last entry is shown", async () => {
      await page.keyboard.press("Control+End");
      return page.locator('[role=row][aria-rowindex="2001"]').isVisible();
    });
    const rows = await grid.getByRole("row").count();
    assert.ok(rows <= 60, `${rows} rows`);
    await page.keyboard.press("Enter");
    await page.getByText('"target": "entry 00000"').waitFor();
  });
});

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";

const ADMIN = "ada@acme.test";

describe("the administration", { skip: noBrowser }, async () => {
  const { base, open } = await startDashboard({ after }, { settings: { SERVICE_ADMIN_EMAILS: ADMIN } });

  it("is a link for administrators, and the palette leads to its screens", async () => {
    const { page } = await open(ADMIN);
    await page.getByRole("link", { name: "Administration" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/admin/**`);
    const places = page.getByRole("navigation", { name: "Screens of the administration" });
    await places.waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("menuitem", { name: "Account" }).waitFor();
    await page.keyboard.type("tenancy");
    await page.getByRole("menuitem", { name: "Account" }).waitFor({ state: "detached" });
    await page.getByRole("menuitem", { name: "Administration: Organisations" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/admin/organisations`);
    await page.getByRole("heading", { name: "Organisations", exact: true }).waitFor();
    const current = places.locator('[aria-current="page"]');
    assert.deepEqual(await current.allTextContents(), ["Organisations"]);
    for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
    await page.setViewportSize({ width: 320, height: 640 });
    assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
  });

  it("says to others that it is not for them, and shows nothing of it", async () => {
    const { page } = await open("bo@acme.test", "/admin/organisations");
    await page.getByRole("heading", { name: "Only administrators see this" }).waitFor();
    await page.getByText("This account is not an administrator.").waitFor();
    assert.equal(await page.getByRole("navigation", { name: "Screens of the administration" }).count(), 0);
    assert.equal(await page.getByRole("link", { name: "Administration" }).count(), 0);
    for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
    await page.keyboard.press("Control+k");
    await page.getByRole("menuitem", { name: "Account" }).waitFor();
    await page.keyboard.type("tenancy");
    await page.getByText("Nothing has this name.").waitFor();
  });
});

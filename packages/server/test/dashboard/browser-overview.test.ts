import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { writePageViews } from "../../src/organisation/view-counts.ts";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { button, heading, startWithCanvases } from "../support/dashboard-canvases.ts";

const DAY_MS = 86_400_000;

describe("the overview of a canvas", { skip: noBrowser }, async () => {
  const { target, env, open, ada, bo, cy, admin, call, draft, shared, read } = await startWithCanvases({
    after,
  });
  const screen = (id: string) => `/canvases/${id}`;

  it("the owner reads who may open it, its version, its backend, and what failed", async () => {
    const id = await shared("Poll");
    await call(ada, "PATCH", `/api/canvases/${id}/capabilities`, { backendEnabled: true });
    const { slug } = await read(id);
    await manage(target, ada, "GET", `/v1/c/${slug}/kv/collections/nothing`);
    const { page } = await open(ada.email, screen(id));
    await page.getByText(/^Only you, .*\bbo\b.* and .*\bcy\b.* may open it;/i).waitFor();
    await page.getByText("1 file, 14 bytes").waitFor();
    await page.getByText("Online", { exact: true }).waitFor();
    await page.getByText(/^On: keys and records, files/).waitFor();
    await page.getByText("NOT_FOUND").waitFor();
    await page.getByText("No quota is more than 60 % full.").waitFor();
    await page.getByText("Nobody has opened it in the last 30 days.").waitFor();
    await page.getByRole("heading", { name: "Give away or take away" }).waitFor();
    await assertAccessible(page);
    await assertAccessible(page, "dark");
    assert.equal(await page.locator("iframe").count(), 0, "in path mode no page is framed");
    assert.equal(await button(page, "Show the page here").count(), 0);
  });

  it("how often it was opened, on which days and by how many people, as bars and as a table", async () => {
    const id = await shared("Used");
    const now = env.clock();
    for (const [days, people] of [
      [29, ["ada", "cy", "cy"]],
      [0, ["ada", "bo"]],
    ] as const)
      for (const person of people) env.pageViews.add(id, person, now - days * DAY_MS);
    await writePageViews(env);
    const { page, context } = await open(ada.email, screen(id));
    await page.getByText("Opened 5 times in the last 30 days, by 3 people.").waitFor();
    await page.getByRole("img", { name: /^Views, .*The most is 3 views on / }).waitFor();
    await page.getByText("As a table").click();
    const cells = await page.getByRole("table", { name: "Views" }).getByRole("cell").allInnerTexts();
    assert.deepEqual(cells, ["3", "2", "2", "2"]);
    await assertAccessible(page);
    await assertAccessible(page, "dark");
    await page.setViewportSize({ width: 320, height: 700 });
    assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth")) <= 320);

    const tab = await context.newPage();
    await tab.goto(env.base.canvasUrl(String((await read(id)).slug)));
    await tab.reload();
    await writePageViews(env);
    await page.reload();
    await page.getByText("Opened 7 times in the last 30 days, by 4 people.").waitFor();

    // A service that counts no views says so.
    await page.route(/\/usage\?/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), views: null } });
    });
    await page.reload();
    await page.getByText("This service does not count who opens a canvas.").waitFor();
    assert.equal(await page.getByText("in the last 30 days").count(), 0);
  });

  it("an editor changes it and has no act of the owner; a viewer has none and is told so", async () => {
    const id = await shared("Rights");
    const asBo = (await open(bo.email, screen(id))).page;
    await asBo.getByText(/You may change it\. It belongs to/).waitFor();
    await button(asBo, "Change the title").waitFor();
    await asBo.getByRole("heading", { name: "Use" }).waitFor();
    assert.equal(await asBo.getByRole("heading", { name: "Give away or take away" }).count(), 0);
    const asCy = (await open(cy.email, screen(id))).page;
    await asCy.getByText(/You may open it, not change it\./).waitFor();
    await asCy.getByText(/shares it with you/).waitFor();
    await asCy.getByText("1 file, 14 bytes").waitFor();
    for (const name of ["Change the title", "Change the address", "Add", "Delete"])
      assert.equal(await button(asCy, name).count(), 0, name);
    for (const name of ["Backend", "Use", "Tags", "Give away or take away"])
      assert.equal(await asCy.getByRole("heading", { name }).count(), 0, name);
    await asCy.getByRole("link", { name: "Versions", exact: true }).first().waitFor();
    assert.equal(await asCy.getByRole("link", { name: "Sharing", exact: true }).count(), 0);
    assert.doesNotMatch(await asCy.locator("main").innerText(), /bo@example\.com/);
    await assertAccessible(asCy);
    await assertAccessible(asCy, "dark");
  });

  it("the title is changed in its place: Enter saves, Escape leaves, a refusal is at the field", async () => {
    const id = await draft("Old");
    const { page } = await open(ada.email, screen(id));
    await button(page, "Change the title").click();
    const field = page.getByLabel("Title", { exact: true });
    await field.fill("Not kept");
    await field.press("Escape");
    await heading(page, "Old").waitFor();
    await page.waitForFunction("document.activeElement.getAttribute('aria-label') === 'Change the title'");
    await button(page, "Change the title").press("Enter");
    await field.fill("x".repeat(1_000));
    await field.press("Enter");
    await page.locator(".field-error").filter({ hasText: /title/ }).waitFor();
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    await assertAccessible(page);
    await field.fill("New");
    await field.press("Enter");
    await heading(page, "New").waitFor();
    assert.equal((await read(id)).title, "New");
  });

  it("the address is changed in a dialog that says what becomes of the old one", async () => {
    const id = await shared("Movable");
    await call(ada, "POST", "/api/canvases", { title: "Other", slug: "taken-name" });
    const { page } = await open(ada.email, screen(id));
    await button(page, "Change the address").click();
    const dialog = page.getByRole("dialog", { name: "Change the address" });
    const field = dialog.getByLabel("Name in the address");
    await dialog.getByText("The old address stops working at once").waitFor();
    await dialog.getByText("Nobody else can take the old name.").waitFor();
    await field.fill("taken-name");
    await dialog.getByText(/\/c\/taken-name\/$/).waitFor();
    await field.press("Enter");
    await dialog.locator(".field-error").filter({ hasText: /./ }).waitFor();
    await assertAccessible(page, "dark");
    await field.fill("moved-to");
    await dialog.getByRole("button", { name: "Change the address" }).click();
    await page.getByRole("link", { name: /\/c\/moved-to\/$/ }).waitFor();
    assert.equal((await read(id)).slug, "moved-to");
  });

  it("a canvas that was never published shows no address and leads to New", async () => {
    const id = await draft("Empty");
    const { page } = await open(ada.email, screen(id));
    await page.getByText("Not online yet").waitFor();
    await page.getByText("It has no files yet.").waitFor();
    await page.getByText("No version is published.").waitFor();
    assert.equal(
      await page.getByRole("link", { name: "Choose files" }).getAttribute("href"),
      `/canvases/${id}/deploy`,
    );
    assert.equal(await page.getByRole("link", { name: /\/c\/empty/ }).count(), 0);
    await assertAccessible(page);
    await assertAccessible(page, "dark");
  });

  it("taken offline, it is put online again by Undo and by the act that leads out", async () => {
    const id = await shared("Switch");
    const { page } = await open(ada.email, screen(id));
    for (const back of ["Undo", "Put it online again"]) {
      await button(page, "Take offline").click();
      await page.getByText("Taken offline", { exact: true }).waitFor();
      assert.equal((await read(id)).publicationStatus, "unpublished");
      await button(page, back).click();
      await page.getByText("Online", { exact: true }).waitFor();
      assert.equal((await read(id)).publicationStatus, "published");
    }
  });

  it("archived, expired and disabled are told with the way out, and what is impossible is not offered", async () => {
    const id = await shared("States");
    await call(ada, "PATCH", screen(id).replace("/", "/api/"), { archived: true });
    const { page } = await open(ada.email, screen(id));
    await page.getByText("Archived", { exact: true }).waitFor();
    await button(page, "Restore from the archive").click();
    await page.getByText("Online", { exact: true }).waitFor();

    const expiresAt = Date.now() + DAY_MS;
    await call(ada, "PUT", `/api/canvases/${id}/sharing`, { expiresAt });
    await page.reload();
    await page.getByText(/this ends on/).waitFor();
    env.clock = () => expiresAt + 1;
    await page.reload();
    await page.getByText(/^Expired on /).waitFor();
    await page.getByText("It still opens for its owner and editors").waitFor();
    const change = page.getByRole("link", { name: "Change the date" });
    assert.equal(await change.getAttribute("href"), `/canvases/${id}/sharing`);
    assert.equal(await page.getByRole("link", { name: "Open", exact: true }).count(), 0);
    await assertAccessible(page);
    env.clock = Date.now;
    await page.reload();
    await page.getByText("Online", { exact: true }).waitFor();

    const reason = `<b onmouseover="alert(1)">Reported</b>`;
    await call(admin, "POST", `/api/admin/canvases/${id}/disable`, { reason });
    // The page does not know it yet: the next act finds out, and the page tells the truth.
    await button(page, "Take offline").click();
    await page.getByText("Disabled by an administrator", { exact: true }).waitFor();
    await page.getByText(reason).waitFor();
    await page.getByText("ask them", { exact: false }).waitFor();
    for (const name of ["Change the title", "Change the address", "Take offline", "Delete", "Add"])
      assert.equal(await button(page, name).count(), 0, name);
    await assertAccessible(page);
    await assertAccessible(page, "dark");
  });

  it("nothing is wider than a narrow phone", async () => {
    const id = await shared("A title that is far too long for one line of a phone, as people paste them");
    const { page } = await open(ada.email, screen(id), {
      viewport: { width: 320, height: 640 },
      hasTouch: true,
    });
    await page.getByText("1 file, 14 bytes").waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
  });
});

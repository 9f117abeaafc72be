import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { button, heading, startWithCanvases } from "../support/dashboard-canvases.ts";

describe("the acts of the overview", { skip: noBrowser }, async () => {
  const { target, open, ada, bo, cy, call, draft, shared, read } = await startWithCanvases({ after });
  const screen = (id: string) => `/canvases/${id}`;

  it("tags are added and removed, with Undo", async () => {
    const id = await draft("Tagged");
    const { page } = await open(ada.email, screen(id));
    const field = page.getByLabel("New tag");
    for (const tag of ["food", "<i>weekly</i>"]) {
      await field.fill(tag);
      await field.press("Enter");
      await button(page, `Remove the tag ${tag}`).waitFor();
    }
    await button(page, "Remove the tag food").click();
    await button(page, "Remove the tag food").waitFor({ state: "detached" });
    assert.deepEqual((await read(id)).tags, ["<i>weekly</i>"]);
    await button(page, "Undo").click();
    await button(page, "Remove the tag food").waitFor();
    assert.deepEqual((await read(id)).tags, ["<i>weekly</i>", "food"]);
    await field.fill("x".repeat(500));
    await field.press("Enter");
    await page.locator(".field-error").filter({ hasText: /tag/ }).waitFor();
  });

  it("it is handed over to an editor, and the former owner loses the acts of the owner", async () => {
    const id = await shared("Gift");
    const { page } = await open(ada.email, screen(id));
    await button(page, "Hand over…").click();
    const field = page.getByRole("combobox", { name: "New owner" });
    await field.fill(cy.email);
    await button(page, "Hand over").click();
    await page.getByText("The new owner must be an editor who has signed in.").waitFor();
    await assertAccessible(page);
    await field.fill("bo@");
    await page.getByRole("option", { name: bo.name }).click();
    await button(page, "Hand over").click();
    await page.getByText(/You may change it\. It belongs to/).waitFor();
    assert.equal(await page.getByRole("heading", { name: "Give away or take away" }).count(), 0);
    assert.equal((await read(id)).viewerRole, "editor");
  });

  it("handed over by somebody else while the screen is open, the next act shows who owns it", async () => {
    const id = await shared("Moved away");
    const { page } = await open(ada.email, screen(id));
    await button(page, "Delete").waitFor();
    await call(ada, "PUT", `/api/canvases/${id}/owner`, { email: bo.email });
    await button(page, "Delete").click();
    await page.getByText(/You may change it\. It belongs to/).waitFor();
    assert.equal((await read(id, bo)).viewerRole, "owner");
  });

  it("deleted, it is restored by Undo; deleted elsewhere, its open screen says that it is gone", async () => {
    const id = await shared("Gone");
    const { page } = await open(ada.email, screen(id));
    await button(page, "Delete").click();
    await page.waitForURL((url) => url.pathname === "/");
    assert.equal((await manage(target, ada, "GET", `/api/canvases/${id}`)).status, 404);
    await button(page, "Undo").click();
    await heading(page, "Gone").waitFor();
    assert.equal((await read(id)).publicationStatus, "published");
    await call(ada, "DELETE", `/api/canvases/${id}`);
    const gone = page.getByText("There is nothing here");
    // The screen may have read the canvas again before the click.
    await button(page, "Take offline").or(gone).click();
    await gone.waitFor();
  });
});

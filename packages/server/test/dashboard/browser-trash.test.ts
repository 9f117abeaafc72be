import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import type { CanvasList } from "@easel/protocol/management";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { message } from "./sharing-screen.ts";

const HOSTILE = `\u202e<img src=x onerror="document.title='run'"> \u0641\u0631\u064a\u0642`;

describe("the trash", { skip: noBrowser }, async () => {
  const { target, env, open } = await startDashboard({ after });
  const ada = await target.signIn("ada@example.com");
  const deleted = async (title: string): Promise<string> => {
    const { json } = await manage(target, ada, "POST", "/api/canvases", { title });
    assert.equal((await manage(target, ada, "DELETE", `/api/canvases/${json.id}`)).status, 204);
    return String(json.id);
  };
  const listed = async () => {
    const { json } = await manage(target, ada, "GET", "/api/canvases?list=trash");
    return (json as unknown as CanvasList).canvases.map(({ title }) => title);
  };

  it("by keyboard: a canvas is deleted for good once its title is typed, and no other", async () => {
    await deleted("Kept");
    await deleted(HOSTILE);
    const { page } = await open(ada.email, "/?list=trash");
    const row = page.getByRole("row").filter({ hasText: HOSTILE });
    await row.getByText("30 days left").waitFor();
    for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
    await row.focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Delete for good?" });
    await dialog.getByText("Nobody can bring it back").waitFor();
    assert.equal(await dialog.locator("img").count(), 0);
    await page.keyboard.type("Kept");
    await page.keyboard.press("Enter");
    await dialog.getByText("That is not the title.").waitFor();
    for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
    assert.deepEqual((await listed()).toSorted(), ["Kept", HOSTILE].toSorted());
    // What cannot be typed, such as the mark that turns the direction, need not be.
    await dialog.getByRole("textbox").fill(HOSTILE.slice(1));
    await page.keyboard.press("Enter");
    await message(page, "for good.").waitFor();
    await row.waitFor({ state: "detached" });
    assert.deepEqual(await listed(), ["Kept"]);
    assert.equal(await page.evaluate("document.activeElement.role"), "row", "the focus is on the next row");
  });

  it("what was restored elsewhere meanwhile is told, and what an administrator disabled stays", async () => {
    const [gone, disabled] = [await deleted("Gone"), await deleted("Evidence")];
    await env.db.run`update canvases set disabled_at = ${Date.now()} where id = ${disabled}`;
    const { page } = await open(ada.email, "/?list=trash", {
      viewport: { width: 320, height: 640 },
      hasTouch: true,
    });
    await page.getByRole("row").filter({ hasText: "Evidence" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Delete Evidence for good" }).count(), 0);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
    assert.equal((await manage(target, ada, "POST", `/api/canvases/${gone}/restore`)).status, 200);
    await page.getByRole("button", { name: "Delete Gone for good" }).click();
    await page.getByRole("textbox").last().fill("gone");
    await page.getByRole("button", { name: "Delete for good" }).click();
    await page.getByRole("alert").getByText("There is nothing at this address.").waitFor();
    assert.equal((await manage(target, ada, "GET", `/api/canvases/${gone}`)).status, 200);
  });
});

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { startFolders } from "../support/folders.ts";

const COLLEAGUE = "bo@example.com";

/** The number of times that Tab is pressed on the way to a control. More means that it cannot be reached. */
const MAX_TABS = 80;

/** Moves the focus to a control by Tab alone, as somebody without a pointer does. */
async function reach(page: Page, control: Locator): Promise<void> {
  await control.waitFor();
  const focused = page.locator(":focus");
  for (let tabs = 0; (await control.and(focused).count()) === 0; tabs++) {
    assert.ok(tabs < MAX_TABS, `Tab does not reach ${control}`);
    await page.keyboard.press("Tab");
  }
}

/** How a person uses the dashboard. */
interface Hands {
  press(page: Page, control: Locator): Promise<void>;
  /** Types into a field. */
  type(page: Page, field: Locator, text: string): Promise<void>;
}

const keyboard: Hands = {
  async press(page, control) {
    await reach(page, control);
    // Space is what checkboxes know, Enter what links do.
    const isCheckbox = (await control.and(page.getByRole("checkbox")).count()) > 0;
    await page.keyboard.press(isCheckbox ? "Space" : "Enter");
  },
  async type(page, field, text) {
    await reach(page, field);
    await page.keyboard.type(text);
  },
};

const fingers: Hands = {
  async press(page, control) {
    const isCheckbox = (await control.and(page.getByRole("checkbox")).count()) > 0;
    // A finger meets the label of a checkbox.
    const target = isCheckbox ? control.locator("xpath=ancestor::label") : control;
    await target.tap();
  },
  async type(page, field, text) {
    await field.tap();
    await page.keyboard.type(text);
  },
};

const JOURNEYS: [
  name: string,
  urlMode: "path" | "subdomain",
  hands: Hands,
  options: BrowserContextOptions,
][] = [
  ["by keyboard alone, in path mode", "path", keyboard, {}],
  [
    "by touch, on a phone, in subdomain mode",
    "subdomain",
    fingers,
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  ],
];

for (const [name, urlMode, hands, options] of JOURNEYS)
  describe(`the journey of an owner ${name}`, { skip: noBrowser }, async () => {
    const { env, target, open } = await startDashboard({ after }, { urlMode });
    const { folder } = await startFolders({ after }, target);

    it("from a folder to a page that is shared, changed, looked at, published, rolled back, deleted and restored", async () => {
      const { page, context } = await open("ada@example.com", "/", options);
      const press = (
        role: "button" | "link" | "checkbox" | "switch",
        name: string | RegExp,
        within = page.locator("body"),
      ) => hands.press(page, within.getByRole(role, { name }).first());
      /** Chooses a folder with one page in the browser's picker. */
      const chooseFolder = async (heading: string) => {
        const chosen = page.waitForEvent("filechooser");
        await press("button", /^Drop a folder here/);
        const files = { "index.html": `<title>Lunch</title>\n<h1>${heading}</h1>\n` };
        await (await chosen).setFiles(await folder("lunch", files));
        await page.getByText("What will be published").waitFor();
      };
      const version = (badge: string) => page.getByRole("listitem").filter({ hasText: badge });

      // Ada makes a canvas from a folder.
      await press("link", "New");
      await chooseFolder("one");
      await press("button", "Deploy");
      await page.getByRole("heading", { name: "Lunch is online" }).waitFor();
      assert.ok(await page.getByRole("radio", { name: "Only you" }).isChecked());
      await press("link", "Go to the canvas");

      // She shares it with a colleague, who opens it.
      const address = env.base.canvasUrl("lunch");
      const bo = (await open(COLLEAGUE, "/", options)).page;
      const seen = async () => {
        await bo.goto(address);
        return bo.locator("h1").textContent();
      };
      assert.notEqual(await seen(), "one");
      await press("link", "Sharing");
      await hands.type(page, page.getByLabel("Add people and teams"), COLLEAGUE);
      await page.keyboard.press("Enter");
      // The row is there before the service has answered.
      const saved = page.waitForResponse(
        (answer) => answer.request().method() === "PUT" && answer.url().endsWith("/sharing"),
      );
      await press("button", /^Share/, page.locator(".add-people"));
      await page.locator(".access-row", { hasText: COLLEAGUE }).waitFor();
      assert.equal((await saved).status(), 200);
      assert.equal(await seen(), "one");

      // She changes it, and looks at the change before the colleague does.
      await press("link", "New version");
      await chooseFolder("two");
      await press("checkbox", /^Look at it before everyone does/);
      await press("button", "Store the version");
      await page.getByText("The new version is stored").waitFor();
      await press("link", "Versions", page.getByRole("main").getByRole("region"));
      const previewed = context.waitForEvent("page");
      await press("button", /^Preview/, version("Not published"));
      const preview = await previewed;
      await preview.getByRole("heading", { name: "two" }).waitFor();
      assert.equal(await seen(), "one");
      const left = context.waitForEvent("page");
      await press("link", "Leave the preview");
      const leaving = await left;
      await hands.press(leaving, leaving.getByRole("button", { name: "Leave the preview" }));
      await leaving.getByRole("heading", { name: "one" }).waitFor();
      for (const tab of [preview, leaving]) await tab.close();

      // She compares it with what is live, and publishes it.
      await hands.press(page, version("Not published").locator("a").first());
      await page.getByText("1 file differs: 1 changed.").waitFor();
      await press("button", /^changed: index\.html/);
      const table = page.getByRole("table", { name: "How index.html differs" });
      await table.getByRole("row", { name: "2 removed <h1>one</h1>" }).waitFor();
      await table.getByRole("row", { name: "2 added <h1>two</h1>" }).waitFor();
      await press("button", /^Publish/);
      await page.getByText("1 file differs; data stays as it is.").waitFor();
      await press("button", "Dismiss the message");
      assert.equal(await seen(), "two");

      // She goes back to the first version.
      await press("link", "All versions");
      await press("button", /^Roll back to/);
      await version("+1 ~0 −0").getByText("Live").waitFor();
      await press("button", "Dismiss the message");
      assert.equal(await seen(), "one");

      // She deletes the canvas, and restores it.
      await press("link", "Overview");
      await press("button", "Delete");
      await page.getByText("Deleted Lunch.").waitFor();
      assert.notEqual(await seen(), "one");
      await press("button", "Dismiss the message");
      await press("link", /^Trash/);
      await press("button", "Restore Lunch");
      for (let tries = 0; (await seen()) !== "one"; tries++) assert.ok(tries < 100, "it is not restored");
    });
  });

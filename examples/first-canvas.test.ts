import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { before, describe, test } from "node:test";
import { faultsOf } from "@easel/server/easel-json";
import type { Browser, Page } from "playwright-core";
import { startDev } from "../packages/cli/test/support/dev.ts";
import { assertAccessible, noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { follow, noTools, signedInVariables } from "../packages/server/test/support/sample-shell.ts";
import { samplesOf } from "../packages/server/test/support/samples.ts";
import { fileScope, startService, temporaryDirectory } from "../packages/server/test/support/service.ts";

describe("canvases that the commands of the documentation create", {
  skip: noBrowser || noTools,
}, () => {
  const scope = fileScope();
  let base: string;
  let browser: Browser;

  before(async () => {
    ({ base } = await startService(scope));
    browser = await openBrowser(scope);
  });

  /** Runs the commands of a section whose text matches `pattern`, in the folder `cwd`. Returns the output of the last one. */
  async function runCommands(page: string, section: string, pattern: RegExp, cwd: string): Promise<string> {
    const chosen = samplesOf(page).filter((each) => each.section === section && pattern.test(each.text));
    assert.ok(chosen.length > 0, `${page} has no such commands`);
    const printed = await follow(
      chosen,
      cwd,
      { "http://localhost:3000": base },
      await signedInVariables(base),
    );
    return printed.at(-1) ?? "";
  }

  /** Asserts that the open pages of two people greet each by name, list both names, and count a reload as a visit. */
  async function assertVisits(ada: Page, ben: Page, names: [string, string]): Promise<void> {
    const [first, second] = names;
    await ada.getByText(`Hello ${first}, this is visit 1.`).waitFor();
    await ben.getByText(`Hello ${second}, this is visit 1.`).waitFor();
    for (const page of [ada, ben]) await page.getByText(names.join(", "), { exact: true }).waitFor();
    await ada.reload();
    await ada.getByText(`Hello ${first}, this is visit 2.`).waitFor();
  }

  test("the first canvas of the README works for two people, in `easel dev` and deployed", async () => {
    const cwd = path.join(await temporaryDirectory(scope), "checkout");
    await mkdir(cwd);
    await runCommands("README.md", "hello", /^mkdir /, cwd);
    const command = samplesOf("README.md").find(({ text }) => text.startsWith("npx easel dev "));
    const [, folder = ""] = /^npx easel dev (\S+)\n$/.exec(command?.text ?? "") ?? [];
    const dev = await startDev(scope, path.join(cwd, folder));
    assert.equal(new URL(dev.url).pathname, "/c/hello/");
    const windows = await browser.newContext();
    const window = async (host: string) => {
      const page = await windows.newPage();
      await page.goto(dev.url.replace("localhost", host));
      return page;
    };
    const [owner, chi] = [await window("localhost"), await window("chi.localhost")];
    await assertVisits(owner, chi, ["Ada Berg", "Chi Tran"]);
    const file = path.join(cwd, folder, "index.html");
    await writeFile(file, (await readFile(file, "utf8")).replace("Here so far", "Guests"));
    for (const page of [owner, chi]) await page.getByRole("heading", { name: "Guests" }).waitFor();
    await windows.close();
    await writeFile(file, (await readFile(file, "utf8")).replace("Guests", "Here so far"));

    const address = `${base}/c/hello/`;
    assert.equal(await runCommands("README.md", "share-it", /^npx easel deploy /, cwd), address);
    const ada = await openAs(browser, address, "ada@example.com");
    const ben = await openAs(browser, address, "ben@example.com");
    await assertVisits(ada.page, ben.page, ["Ada", "Ben"]);
    for (const [{ page }, width, scheme] of [
      [ada, 1280, "light"],
      [ben, 375, "dark"],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await assertAccessible(page, scheme);
      assert.notEqual(
        await page.evaluate("getComputedStyle(hello).letterSpacing"),
        "normal",
        "no stylesheet",
      );
      assert.ok((await page.evaluate<number>("document.documentElement.scrollWidth")) <= width);
    }
    assert.deepEqual([...ada.faults, ...ben.faults], []);
  });

  test("the example of docs/easel-json.md", async () => {
    const cwd = await temporaryDirectory(scope);
    assert.equal(await runCommands("docs/easel-json.md", "example", /^mkdir /, cwd), `${base}/c/rooms/`);
    const { page, faults } = await openAs(browser, `${base}/c/rooms/red`, "ada@example.com");
    await page.getByText("Room red, opened 1 times.").waitFor();
    await page.getByRole("link", { name: "blue" }).click();
    await page.getByText("Room blue, opened 1 times.").waitFor();
    assert.deepEqual(faults, []);
  });
});

test("the easel.json of every example is valid", async () => {
  const entries = await readdir(import.meta.dirname, { withFileTypes: true });
  const folders = entries.filter((each) => each.isDirectory() && each.name !== "first-files");
  assert.ok(folders.length >= 5);
  for (const { name } of folders) {
    const text = await readFile(path.join(import.meta.dirname, name, "easel.json"), "utf8");
    assert.deepEqual(faultsOf(text), [], name);
  }
});

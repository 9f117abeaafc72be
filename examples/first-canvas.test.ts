import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { faultsOf } from "../packages/server/src/canvases/publishing/easel-json.ts";
import { noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { follow, noTools, signedInVariables } from "../packages/server/test/support/sample-shell.ts";
import { samplesOf } from "../packages/server/test/support/samples.ts";
import { fileScope, startService, temporaryDirectory } from "../packages/server/test/support/service.ts";

describe("canvases that a page of the documentation makes with `easel deploy`", {
  skip: noBrowser || noTools,
}, () => {
  const scope = fileScope();
  let base: string;
  let browser: Browser;

  before(async () => {
    ({ base } = await startService(scope));
    browser = await openBrowser(scope);
  });

  /** Runs the first commands of a section that make a folder. Returns what they print. */
  async function followed(page: string, section: string): Promise<string | undefined> {
    const sample = samplesOf(page).find((each) => each.section === section && /^mkdir /.test(each.text));
    assert.ok(sample, `${page} has no such commands`);
    const cwd = await temporaryDirectory(scope);
    const [printed] = await follow(
      [sample],
      cwd,
      { "http://localhost:3000": base },
      await signedInVariables(base),
    );
    return printed;
  }

  test("the first canvas of the README, in the browsers of two people", async () => {
    const address = `${base}/c/hello/`;
    assert.equal(await followed("README.md", "hello"), address);
    const ada = await openAs(browser, address, "ada@example.com");
    await ada.page.getByText("Hello Ada, this is visit 1.").waitFor();
    await ada.page.getByText("Here so far: Ada", { exact: true }).waitFor();
    const ben = await openAs(browser, address, "ben@example.com");
    await ben.page.getByText("Hello Ben, this is visit 1.").waitFor();
    for (const { page } of [ada, ben])
      await page.getByText("Here so far: Ada, Ben", { exact: true }).waitFor();
    await ada.page.reload();
    await ada.page.getByText("Hello Ada, this is visit 2.").waitFor();
    assert.deepEqual([...ada.faults, ...ben.faults], []);
  });

  test("the example of docs/easel-json.md", async () => {
    assert.equal(await followed("docs/easel-json.md", "example"), `${base}/c/rooms/`);
    const { page, faults } = await openAs(browser, `${base}/c/rooms/red`, "ada@example.com");
    await page.getByText("Room red, opened 1 times.").waitFor();
    await page.getByRole("link", { name: "blue" }).click();
    await page.getByText("Room blue, opened 1 times.").waitFor();
    assert.deepEqual(faults, []);
  });
});

test("the easel.json of every example is valid", async () => {
  const entries = await readdir(import.meta.dirname, { withFileTypes: true });
  const folders = entries.filter((each) => each.isDirectory());
  assert.ok(folders.length >= 5);
  for (const { name } of folders) {
    const text = await readFile(path.join(import.meta.dirname, name, "easel.json"), "utf8");
    assert.deepEqual(faultsOf(text), [], name);
  }
});

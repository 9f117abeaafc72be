import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { noBrowser, openAs, openBrowser } from "../packages/server/test/browser.ts";
import { startService, temporaryDirectory } from "../packages/server/test/support.ts";

const run = promisify(execFile);
const deploy = path.join(import.meta.dirname, "deploy.ts");

/** The page that the README has a newcomer write. */
async function firstCanvas(): Promise<string> {
  const readme = await readFile(path.join(import.meta.dirname, "../README.md"), "utf8");
  return /<<'HTML'\n([\s\S]*?)\nHTML\n/.exec(readme)?.[1] ?? assert.fail("the README has no page");
}

test("the README's first canvas, deployed and opened in a browser", { skip: noBrowser }, async (t) => {
  const { base } = await startService(t);
  const folder = path.join(await temporaryDirectory(t), "hello");
  await mkdir(folder);
  await writeFile(path.join(folder, "index.html"), await firstCanvas());
  const { stdout } = await run(process.execPath, [deploy, folder, base]);
  assert.equal(stdout, `${base}/c/hello/\n`);

  const { page, faults } = await openAs(await openBrowser(t), `${base}/c/hello/`, "ada@example.com");
  await page.getByText("Hello Ada, this is visit 1.").waitFor();
  await page.reload();
  await page.getByText("Hello Ada, this is visit 2.").waitFor();
  assert.deepEqual(faults, []);

  await writeFile(path.join(folder, "index.html"), "<title>Second</title><h1>Second version</h1>");
  await run(process.execPath, [deploy, folder, base]);
  await page.reload();
  await page.getByText("Second version").waitFor();
});

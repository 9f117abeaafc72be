import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { createServer } from "vite";
import { startDev } from "../../../cli/test/support/dev.ts";
import { createProject, pack } from "../../../sdk/test/packed.ts";
import { noBrowser, openAs, openBrowser } from "../support/browser.ts";
import { follow, noTools, signedInVariables } from "../support/sample-shell.ts";
import { samplesOf } from "../support/samples.ts";
import { startService } from "../support/service.ts";

const samples = samplesOf("docs/vite.md");
const FOLDER = "team-list/";

/** The packages that `npm install` would bring from the registry. */
const INSTALLED = [
  "@types/react",
  "@types/react-dom",
  "@vitejs/plugin-react",
  "react",
  "react-dom",
  "typescript",
  "vite",
];

test("a page by Vite, React and TypeScript, made by the docs with the packed packages, is used by two people", {
  skip: noBrowser || noTools,
}, async (t) => {
  const { base } = await startService(t);
  const packed = await Promise.all(["@easel/sdk", "@easel/react"].map(pack));
  const files = samples.flatMap(({ file, text }) =>
    file === undefined
      ? []
      : [[file.replace(FOLDER, ""), text.replaceAll("http://localhost:3000", base)] as const],
  );
  const project = await createProject(t, packed, INSTALLED, Object.fromEntries(files));

  const { dependencies, devDependencies } = JSON.parse(Object.fromEntries(files)["package.json"] ?? "");
  const named = Object.keys({ ...dependencies, ...devDependencies }).sort();
  assert.deepEqual(named, [...INSTALLED, "@easel/cli", "@easel/sdk", "@easel/react"].sort());

  const run = (program: string, ...options: string[]) =>
    promisify(execFile)(process.execPath, [path.join(project, "node_modules", program), ...options], {
      cwd: project,
    }).catch((error) => assert.fail(`${program}: ${error.stdout}${error.stderr}`));
  await run("typescript/bin/tsc");

  const deploy = samples.filter(({ text }) => text.includes("npx easel deploy"));
  assert.equal(deploy.length, 1);
  const build = `'${process.execPath}' node_modules/vite/bin/vite.js build --logLevel silent`;
  await follow(deploy, project, { "npm run build": build }, await signedInVariables(base));

  const server = await createServer({ root: project, logLevel: "silent" });
  t.after(() => server.close());
  await server.listen();
  const [vite = ""] = server.resolvedUrls?.local ?? [];
  const { url: dev } = await startDev(t, project, "--proxy", new URL(vite).origin);
  const browser = await openBrowser(t);

  /** Opens the page as a person: on the service with a session, in `easel dev` on the person's own host. */
  async function open(name: string, address: string): Promise<{ page: Page; refused: string[] }> {
    const { page } = await openAs(browser, `${base}/`, `${name}@example.com`);
    const refused: string[] = [];
    page.on("response", (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(address === dev ? address.replace("localhost", `${name}.localhost`) : address);
    return { page, refused };
  }

  for (const address of [`${base}/c/team-list/`, dev])
    await t.test(address === dev ? "with easel dev" : "deployed", async () => {
      const opened = await Promise.all(["ada", "ben"].map((name) => open(name, address)));
      const [ada, ben] = opened.map(({ page }) => page);
      assert.ok(ada && ben);
      const title = `Tea, ${address}`;
      await ada.getByLabel("Task").fill(title);
      await ada.getByRole("button", { name: "Add" }).click();
      await ben.getByLabel(title).check();
      await ada.getByRole("checkbox", { name: title, checked: true }).waitFor();
      await ada.getByText(/here now: (Ada.*, Ben.*|Ben.*, Ada.*)$/i).waitFor();
      assert.deepEqual(await ada.getByRole("alert").allInnerTexts(), []);
      for (const { refused } of opened) assert.deepEqual(refused, []);
    });
});

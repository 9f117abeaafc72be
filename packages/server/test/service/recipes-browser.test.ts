import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { before, describe, test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import type { Browser, Page } from "playwright-core";
import { createProject, pack, run } from "../../../sdk/test/packed.ts";
import { noBrowser, openAs, openBrowser } from "../support/browser.ts";
import { ROOT } from "../support/import-tests.ts";
import { follow, noTools } from "../support/sample-shell.ts";
import { samplesOf } from "../support/samples.ts";
import { fileScope, startService, temporaryDirectory } from "../support/service.ts";

const samples = samplesOf("docs/recipes.md");

/** The sections that these tests follow. That of the poll is followed as a part of the skill, in `agent-pages.test.ts`. */
const FOLLOWED = [
  "whiteboard",
  "page-that-also-works-signed-out",
  "import-of-many-records",
  "vite-react-and-typescript",
  "local-development",
];

test("every section with code is followed by a test", () => {
  const sections = new Set(samples.map(({ section }) => section));
  assert.deepEqual([...sections], ["poll-with-results-for-all", ...FOLLOWED]);
});

/** The packages that the recipe installs from a registry. */
const INSTALLED = [
  "react",
  "react-dom",
  "vite",
  "@vitejs/plugin-react",
  "typescript",
  "@types/react",
  "@types/react-dom",
];

/** Reads the output of Vite until it names its address. */
async function addressIn(output: AsyncIterable<Buffer>): Promise<string> {
  let text = "";
  for await (const chunk of output) {
    text += stripVTControlCharacters(String(chunk));
    const [address] = /http:\/\/localhost:\S+/.exec(text) ?? [];
    if (address !== undefined) return address;
  }
  return assert.fail(text);
}

/** Whether a pixel of the whiteboard is drawn, at a place in its own coordinates. */
const isDrawn = (x: number, y: number) => `board.getContext("2d").getImageData(${x}, ${y}, 1, 1).data[3] > 0`;

describe("recipes, each followed and used by two people", { skip: noBrowser || noTools }, () => {
  const scope = fileScope();
  let base: string;
  let browser: Browser;
  let cwd: string;
  let variables: Record<string, string>;

  before(async () => {
    ({ base } = await startService(scope, { SERVICE_RATELIMIT_LOGIN_PER_MIN: "100" }));
    browser = await openBrowser(scope);
    cwd = await temporaryDirectory(scope);
    const dev = await openAs(browser, `${base}/`, "dev@example.com");
    const answer = await dev.context.request.post(`${base}/api/tokens`, { data: { name: "docs" } });
    variables = { EASEL_TOKEN: (await answer.json()).token };
  });

  /** Follows a section; deploys its folder, unless the section does so. Returns what its commands print. */
  async function deploy(section: string, folder: string): Promise<string[]> {
    const found = samples.filter((sample) => sample.section === section);
    const own = found.filter(({ language }) => language === "sh");
    const command = { ...found[0], name: section, page: "", section, language: "sh", file: undefined };
    const last = own.length > 0 ? [] : [{ ...command, text: `npm run deploy -- ${folder}` }];
    return follow([...found, ...last], cwd, { "http://localhost:3000": base }, variables);
  }

  async function open(slug: string, ...names: string[]): Promise<Page[]> {
    const address = `${base}/c/${slug}/`;
    const opened = await Promise.all(names.map((name) => openAs(browser, address, `${name}@example.com`)));
    return opened.map(({ page }) => page);
  }

  test("whiteboard: a drag is seen while it lasts, and by people who come later", async () => {
    await deploy("whiteboard", "whiteboard");
    const [ada, ben] = await open("whiteboard", "ada", "ben");
    assert.ok(ada && ben);
    const board = await ada.locator("#board").boundingBox();
    assert.ok(board);
    const at = (x: number, y: number) =>
      [board.x + x * (board.width / 1000), board.y + y * (board.height / 600)] as const;
    await ben.waitForFunction("document.querySelector('#board') !== null");
    await ada.mouse.move(...at(100, 100));
    await ada.mouse.down();
    await ada.mouse.move(...at(500, 100), { steps: 150 });
    await ben.waitForFunction(isDrawn(400, 100));
    await ada.mouse.up();
    const [eve] = await open("whiteboard", "eve");
    await eve?.waitForFunction(isDrawn(400, 100));
    await eve?.getByRole("button", { name: "Clear" }).click();
    await ada.waitForFunction(`!(${isDrawn(400, 100)})`);
  });

  test("signed out: visitors see the menu as it was published, editors the live one", async () => {
    const section = "page-that-also-works-signed-out";
    const all = samples.filter((sample) => sample.section === section);
    const nightly = all.findLastIndex(({ language }) => language === "sh");
    const replaced = { "http://localhost:3000": base };
    assert.deepEqual(await follow(all.slice(0, nightly), cwd, replaced, variables), [
      `${base}/c/menu/\npublic_link`,
    ]);
    const visitor = await browser.newPage();
    await visitor.goto(`${base}/c/menu/`);
    await visitor.getByText("Lemon cake").waitFor();
    assert.equal(await visitor.getByRole("textbox").isVisible(), false);
    await visitor.getByRole("link", { name: "Sign in" }).click();
    await visitor.getByLabel("E-mail address").fill("dev@example.com");
    await visitor.getByRole("button", { name: "Sign in", exact: true }).click();
    await visitor.getByLabel("Dishes").fill("Pancakes\nApple pie");
    await visitor.getByRole("button", { name: "Save" }).click();
    await visitor.getByRole("listitem").getByText("Apple pie").waitFor();

    const other = await browser.newPage();
    await other.goto(`${base}/c/menu/`);
    await other.getByText("Lemon cake").waitFor();
    assert.deepEqual(await other.getByRole("listitem").allInnerTexts(), ["Soup of the day", "Lemon cake"]);
    await follow(all.slice(nightly), cwd, replaced, variables);
    await other.reload();
    await other.getByText("Apple pie").waitFor();
  });

  test("import: every line becomes a record, in their order", async () => {
    await deploy("import-of-many-records", "tasks");
    const [ada] = await open("tasks", "ada");
    assert.ok(ada);
    const lines = Array.from({ length: 30 }, (_, number) => `Task ${number}`);
    await ada
      .getByLabel("Import a text file")
      .setInputFiles({ name: "tasks.txt", mimeType: "text/plain", buffer: Buffer.from(lines.join("\n")) });
    await ada.getByText("All 30 tasks are imported.").waitFor();
    const { entries } = await ada.evaluate<{ entries: { value: { title: string } }[] }>(
      'easel.kv.collection("tasks").list()',
    );
    assert.deepEqual(
      entries.map(({ value }) => value.title),
      lines,
    );
  });

  test("Vite, React and TypeScript, with the packed packages: types, a build that two people use, and local development", async (t) => {
    const section = samples.filter((sample) => sample.section === "vite-react-and-typescript");
    const files = section.flatMap(({ file, text }) =>
      file === undefined ? [] : [[path.relative("team-tasks", file), text] as const],
    );
    const packed = await Promise.all(["@easel/sdk", "@easel/react"].map(pack));
    const project = await createProject(t, packed, INSTALLED, Object.fromEntries(files));
    const bin = path.join(ROOT, "node_modules/.bin");
    const vite = (...options: string[]) => [path.join(bin, "vite"), ...options];
    await run(process.execPath, [path.join(bin, "tsc")], { cwd: project });
    await run(process.execPath, vite("build"), { cwd: project });
    const command = { name: "", page: "", section: "", language: "sh", file: undefined };
    await follow(
      [{ ...command, text: "npm run deploy -- dist" }],
      project,
      { "http://localhost:3000": base },
      variables,
    );

    const [ada, ben] = await open("team-tasks", "ada", "ben");
    assert.ok(ada && ben);
    await ada.getByText("Here now: ").getByText("Ben").waitFor();
    await ada.getByLabel("Task", { exact: true }).fill("Boil water");
    await ada.getByRole("button", { name: "Add" }).click();
    await ben.getByLabel("Boil water").click();
    await ben.getByRole("alert").waitFor();
    assert.equal(await ben.getByLabel("Boil water").isChecked(), false);

    const server = spawn(process.execPath, vite("--port", "0"), {
      cwd: project,
      env: { ...process.env, EASEL_URL: base },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(server, "exit");
    try {
      const address = await addressIn(server.stdout);
      assert.ok(address.endsWith("/c/team-tasks/"), address);
      await ada.goto(address);
      await ada.getByRole("heading", { name: "Hello Ada" }).waitFor();
      await ada.getByLabel("Boil water").click();
      await ben.waitForFunction("document.querySelector('[type=checkbox]').checked");
      await ben.getByLabel("Task", { exact: true }).fill("Pour");
      await ben.getByRole("button", { name: "Add" }).click();
      await ada.getByLabel("Pour").waitFor();
    } finally {
      server.kill();
      await exited;
    }
  });
});

import assert from "node:assert/strict";
import { afterEach, before, describe, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { noBrowser, openAs, openBrowser } from "../support/browser.ts";
import { follow, noTools, signedInVariables } from "../support/sample-shell.ts";
import { samplesOf } from "../support/samples.ts";
import { fileScope, startService, temporaryDirectory } from "../support/service.ts";

const samples = samplesOf("docs/recipes.md");

/** The sections of `docs/recipes.md` that are tested here. The section of the poll is tested in `agent-pages.test.ts`. */
const FOLLOWED = [
  "one-vote-a-person-and-card",
  "retro-board",
  "whiteboard",
  "page-that-also-works-signed-out",
  "import-of-many-records",
];

test("every section with code is followed by a test", () => {
  const sections = new Set(samples.map(({ section }) => section));
  assert.deepEqual([...sections], ["poll-with-results-for-all", ...FOLLOWED]);
});

/** Returns an expression for the page: true if the pixel at `x`, `y` of the whiteboard's `<canvas>` has a colour. */
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
    variables = await signedInVariables(base);
  });

  /**
   * Saves the files of a section and runs its commands. If the section has no commands, deploys `folder`. Returns what each block of
   * commands has printed.
   */
  async function deploy(section: string, folder: string): Promise<string[]> {
    const found = samples.filter((sample) => sample.section === section);
    const own = found.filter(({ language }) => language === "sh");
    const command = { ...found[0], name: section, page: "", section, language: "sh", file: undefined };
    const last =
      own.length > 0 ? [] : [{ ...command, text: `npx easel deploy ${folder} --access whole_org` }];
    return follow([...found, ...last], cwd, { "http://localhost:3000": base }, variables);
  }

  /** The browsers of the people who have opened a page. */
  const people = new Map<string, BrowserContext>();

  async function openFor(name: string, address: string): Promise<Page> {
    const known = people.get(name);
    if (known === undefined) {
      const { page, context } = await openAs(browser, address, `${name}@example.com`);
      people.set(name, context);
      return page;
    }
    const page = await known.newPage();
    await page.goto(address);
    return page;
  }

  async function open(slug: string, ...names: string[]): Promise<Page[]> {
    const pages: Page[] = [];
    for (const name of names) pages.push(await openFor(name, `${base}/c/${slug}/`));
    return pages;
  }

  // Pages that stay open follow what the next tests write.
  afterEach(async () => {
    for (const context of people.values()) for (const page of context.pages()) await page.close();
  });

  test("dot voting: a second vote of the same person for a card is refused, also from another tab", async () => {
    await deploy("one-vote-a-person-and-card", "dots");
    const [ada, ben, again] = await open("dots", "ada", "ben", "ada");
    assert.ok(ada && ben && again);
    const coffee = (page: Page) => page.getByRole("button", { name: /Better coffee/ });
    for (const page of [ada, ben, again]) await coffee(page).getByText("0").waitFor();
    await ada.evaluate("easel.kv.collection('votes').create({ card: 'Better coffee' })");
    assert.match(
      await again.evaluate<string>(
        "easel.kv.collection('votes').create({ card: 'Better coffee' }).catch((error) => error.code + ' ' + error.status)",
      ),
      /^NOT_UNIQUE 409$/,
    );
    await coffee(ben).getByText("1").waitFor();
    await coffee(ben).click();
    for (const page of [ada, ben, again]) await coffee(page).getByText("2").waitFor();
    await coffee(again).click();
    for (const page of [ada, ben, again]) await coffee(page).getByText("1").waitFor();
  });

  test("retro: cards are their authors' until the owner reveals them, and hidden again", async () => {
    await deploy("retro-board", "retro");
    const [owner, ada, ben] = await open("retro", "dev", "ada", "ben");
    assert.ok(owner && ada && ben);
    for (const [page, text] of [
      [ada, "Tests are fast"],
      [ben, "New coffee"],
    ] as const) {
      await page.getByLabel("Card").fill(text);
      await page.getByRole("button", { name: "Add" }).click();
      await page.getByRole("listitem").getByText(text).waitFor();
    }
    assert.deepEqual(await ada.getByRole("listitem").allInnerTexts(), ["Tests are fast"]);
    assert.equal(await ada.getByRole("button", { name: "Reveal" }).isVisible(), false);
    await owner.getByRole("button", { name: "Reveal all cards" }).click();
    for (const page of [owner, ada, ben]) await page.getByText("All 2 cards").waitFor();
    assert.deepEqual(await ada.getByRole("listitem").allInnerTexts(), ["Tests are fast", "New coffee"]);
    assert.equal(await ada.getByLabel("Card").isVisible(), false);
    await owner.getByRole("button", { name: "Hide them again" }).click();
    await ada.getByText("You see your own cards").waitFor();
    assert.deepEqual(await ada.getByRole("listitem").allInnerTexts(), ["Tests are fast"]);
  });

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
    await ada.mouse.move(...at(500, 100), { steps: 20 });
    await ben.waitForFunction(isDrawn(400, 100));
    await ada.mouse.up();
    await ben.reload();
    await ben.waitForFunction(isDrawn(400, 100));
    await ben.getByRole("button", { name: "Clear" }).click();
    await ada.waitForFunction(`!(${isDrawn(400, 100)})`);
  });

  test("signed out: visitors see the menu as it was published, editors the live one", async () => {
    const section = "page-that-also-works-signed-out";
    const all = samples.filter((sample) => sample.section === section);
    const nightly = all.findLastIndex(({ language }) => language === "sh");
    const replaced = { "http://localhost:3000": base };
    assert.deepEqual(await follow(all.slice(0, nightly), cwd, replaced, variables), [`${base}/c/menu/`]);
    const other = await browser.newPage();
    await other.goto(`${base}/c/menu/`);
    await other.getByText("Lemon cake").waitFor();
    assert.equal(await other.getByRole("textbox").isVisible(), false);
    await other.getByRole("link", { name: "Sign in" }).waitFor();
    const editor = await openFor("dev", `${base}/c/menu/`);
    await editor.getByLabel("Dishes").fill("Pancakes\nApple pie");
    await editor.getByRole("button", { name: "Save" }).click();
    await editor.getByRole("listitem").getByText("Apple pie").waitFor();

    await other.reload();
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
});

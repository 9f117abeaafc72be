import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { startWithExamples } from "../packages/server/test/support/service.ts";

/*
 * Takes the picture of the README, docs/images/easel.png: the dashboard of a service and its board on a phone. `npm run picture` needs
 * Chromium.
 */

const FILE = path.join(import.meta.dirname, "../docs/images/easel.png");

/**
 * The cards of the board. Each has the email of the person who adds it, its text, and how many columns that person then moves it to the
 * right.
 */
const CARDS = [
  ["ben@example.com", "Ask the bakery for a cake stand", 0],
  ["ada@example.com", "Find a room with daylight", 2],
  ["chi@example.com", "Print the programme", 1],
  ["ada@example.com", "Who brings a guitar?", 0],
] as const;

const WIDTH = 1200;
const HEIGHT = 660;
const PHONE = { width: 350, height: 560 };
const DESK = { width: 800, height: 620 };
/** The maximum size of the picture. The README shows the picture, and must load quickly. */
const MAX_BYTES = 150_000;

const endings: (() => Promise<unknown>)[] = [];
const scope = { after: (end: () => Promise<unknown>) => void endings.push(end) };

const { base } = await startWithExamples(scope);
const browser = await openBrowser(scope);
try {
  for (const [email, text, moves] of CARDS) {
    const { page, context } = await openAs(browser, `${base}/c/board/`, email);
    await page.getByLabel("A new idea").fill(text);
    await page.getByRole("button", { name: "Add card" }).click();
    await page.getByRole("listitem").filter({ hasText: text }).waitFor();
    for (const column of ["Doing", "Done"].slice(0, moves)) {
      await page.getByRole("button", { name: `Move to ${column} “${text}”` }).click();
      await page
        .getByRole("region", { name: column, exact: true })
        .getByText(text, { exact: true })
        .waitFor();
    }
    await context.close();
  }
  const { page } = await openAs(browser, `${base}/`, "dev@example.com");
  await page.setViewportSize(DESK);
  await page.getByRole("main").getByText("Weather", { exact: true }).first().waitFor();
  const home = await page.screenshot();
  await page.setViewportSize(PHONE);
  await page.goto(`${base}/c/board/`);
  await page.getByText(CARDS[0][1], { exact: true }).waitFor();
  const canvas = await page.screenshot();

  const source = (png: Buffer) => `data:image/png;base64,${png.toString("base64")}`;
  await page.setViewportSize({ width: WIDTH, height: HEIGHT });
  await page.setContent(`<style>
    body { margin: 0; background: #e9e4da }
    img { position: absolute; border-radius: 10px; box-shadow: 0 2px 14px #0003 }
  </style>
  <img src="${source(home)}" style="left: 30px; top: 20px">
  <img src="${source(canvas)}" style="right: 30px; top: 50px; border: 6px solid #222; border-radius: 26px">`);
  await mkdir(path.dirname(FILE), { recursive: true });
  const picture = await page.screenshot();
  if (picture.length > MAX_BYTES) throw new Error(`the picture has ${picture.length} bytes`);
  await writeFile(FILE, picture);
  process.stdout.write(`${path.relative(process.cwd(), FILE)}: ${picture.length} bytes\n`);
} finally {
  for (const end of endings.reverse()) await end();
  await browser.close();
}

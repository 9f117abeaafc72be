import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { after } from "node:test";
import { PATIENCE_MS } from "@easel/conformance/patience";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { atEnd, type Scope } from "./service.ts";

/** The path of Chromium. The headless shell is preferred, because it needs half the processor time. */
const PROGRAM = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
  .map((name) => `/usr/bin/${name}`)
  .find(existsSync);
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

/** The reason to skip browser tests; false where Chromium is installed. In CI a missing Chromium is an error. */
export const noBrowser: string | false = PROGRAM === undefined && "Chromium is not installed";
if (noBrowser && process.env.CI) throw new Error(`${noBrowser}, and CI runs every test`);

/** The browsers of this process, with and without the back/forward cache. They close after its last test. */
const browsers = new Map<boolean, Promise<Browser>>();
after(() => Promise.all([...browsers.values()].map(async (browser) => (await browser).close())));

const launch = (goesBack: boolean) =>
  chromium.launch({
    executablePath: PROGRAM ?? "",
    args: FLAGS.split(" "),
    ignoreDefaultArgs: goesBack ? ["--disable-back-forward-cache"] : [],
    timeout: PATIENCE_MS,
  });

/**
 * Returns the browser of this process, which the first call starts. Its contexts, which share no data, close when the scope ends.
 * `goesBack` enables the back/forward cache.
 */
export async function openBrowser(scope: Scope, { goesBack = false } = {}): Promise<Browser> {
  const launched = browsers.get(goesBack) ?? launch(goesBack);
  browsers.set(goesBack, launched);
  const browser = await launched;
  const newContext: Browser["newContext"] = async (options) => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    atEnd(scope, () => context.close());
    return context;
  };
  const newPage: Browser["newPage"] = async (options) => (await newContext(options)).newPage();
  return Object.assign(Object.create(browser) as Browser, { newContext, newPage });
}

/** Opens an address as a page, signs in, and collects the errors of the page. */
export async function openAs(
  browser: Browser,
  address: string,
  email: string,
): Promise<{ page: Page; context: BrowserContext; faults: string[] }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && /content security policy/i.test(message.text()))
      faults.push(message.text());
  });
  await page.goto(address);
  await page.getByLabel("E-mail address").fill(email);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(address);
  return { page, context, faults };
}

interface Violation {
  id: string;
  nodes: { html: string }[];
}

/**
 * The colour schemes, and the options of the accessibility checker in each. In the dark scheme only the contrast is checked, because no
 * other rule depends on the scheme.
 */
const SCHEMES = [
  ["light", {}],
  ["dark", { runOnly: ["color-contrast"] }],
] as const;

/** Runs the accessibility checker on a page, whose content security policy must allow the script. */
async function check(page: Page, colorScheme: "light" | "dark", options: object): Promise<void> {
  await page.addScriptTag({ path: AXE });
  const found = await page.evaluate<Violation[]>(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })))`,
  );
  assert.deepEqual(found, [], `${page.url()} in ${colorScheme}`);
}

/** Asserts that a page breaks no accessibility rule that a program can check, in light and dark. */
export async function assertAccessible(page: Page): Promise<void> {
  for (const [colorScheme, options] of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // Bypasses the content security policy of the page, which forbids the script of the checker.
    const session = await page.context().newCDPSession(page);
    await session.send("Page.setBypassCSP", { enabled: true });
    await page.reload();
    await page.waitForLoadState("networkidle");
    await check(page, colorScheme, options);
  }
}

/** Asserts accessibility like `assertAccessible`, but does not reload the page. The browser context of the page must have `bypassCSP`. */
export async function auditAccessibility(page: Page): Promise<void> {
  for (const [colorScheme, options] of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await check(page, colorScheme, options);
  }
}

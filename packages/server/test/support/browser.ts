import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after } from "node:test";
import { PATIENCE_MS } from "@easel/conformance/patience";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { type BrowserKind, launch } from "./chromium.ts";
import { atEnd, NAMED, type Scope } from "./service.ts";

/** The script of the accessibility checker. Its value is 0, which the debugger can send to the tests. */
const AXE = `${readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")};0`;

export { noBrowser, noFullBrowser } from "./chromium.ts";

/** The browsers of this process. They close after its last test. */
const browsers = new Map<BrowserKind, Promise<Browser>>();
after(() => Promise.all([...browsers.values()].map(async (browser) => (await browser).close())));

/** Returns a browser of this process, which the first call starts. Its contexts, which share no data, close when the scope ends. */
export async function openBrowser(scope: Scope, kind: BrowserKind = "shell"): Promise<Browser> {
  const launched = browsers.get(kind) ?? launch(kind);
  browsers.set(kind, launched);
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

/** A page, and the errors that it reports. */
interface Opened {
  page: Page;
  context: BrowserContext;
  faults: string[];
}

/** Opens an empty page in its own browser context, and collects the errors of the page. */
async function newPage(browser: Browser): Promise<Opened> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && /content security policy/i.test(message.text()))
      faults.push(message.text());
  });
  return { page, context, faults };
}

/** Opens an address, which redirects to the sign-in page of dev mode, and signs in with its form. */
export async function signInAs(browser: Browser, address: string, email: string): Promise<Opened> {
  const opened = await newPage(browser);
  const { page } = opened;
  await page.goto(address);
  await page.getByLabel("E-mail address").fill(email);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(address);
  return opened;
}

/**
 * Opens an address of a service in dev mode with the cookie of a new session, so that no page of the sign-in is loaded. `script` runs in
 * the page before its own scripts.
 */
export async function openAs(browser: Browser, address: string, email: string, script = ""): Promise<Opened> {
  const opened = await newPage(browser);
  await opened.page.addInitScript(script);
  const { port, hostname } = new URL(address);
  const answer = await fetch(`http://127.0.0.1:${port}/auth/dev/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email }),
  });
  assert.equal(answer.status, 204);
  const [name = "", value = ""] = answer.headers.get("set-cookie")?.split(";")[0]?.split("=") ?? [];
  // The host of a canvas is below that of the service, which sets the session.
  const url = `http://${hostname.endsWith(`.${NAMED}`) ? NAMED : hostname}:${port}`;
  await opened.context.addCookies([{ name, value, url, httpOnly: true, sameSite: "Lax" }]);
  await opened.page.goto(address);
  await opened.page.waitForURL(address);
  return opened;
}

interface Violation {
  id: string;
  nodes: { html: string }[];
}

/**
 * Asserts that a page breaks no accessibility rule that a program can check, in one colour scheme: each kind of page is checked in light
 * and in dark mode by one of its tests. The debugger runs the checker, because the content security policy of the page does not apply to
 * it. Frames have no checker, so it would only wait for their answers.
 */
export async function assertAccessible(page: Page, colorScheme: "light" | "dark" = "light"): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const found = await page.evaluate<Violation[]>(
    "axe.run({ iframes: false }).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })))",
  );
  assert.deepEqual(found, [], `${page.url()} in ${colorScheme}`);
}

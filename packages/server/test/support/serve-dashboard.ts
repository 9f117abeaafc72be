import assert from "node:assert/strict";
import type { Target } from "@easel/conformance/target";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { startDev } from "./engines.ts";
import { atEnd, NAMED, type Scope, startService } from "./service.ts";
import type { TestEnv } from "./test-env.ts";

/** A service, and a browser whose contexts are people who have signed in to its dashboard. */
export interface Dashboard {
  base: string;
  target: Target;
  env: TestEnv;
  /** Opens a screen as a person in a browser context of their own. */
  open(email: string, screen?: string, options?: BrowserContextOptions): Promise<Opened>;
}

interface Opened {
  page: Page;
  context: BrowserContext;
}

/** Records each violation of the policy of the document in its console, where it counts as an error. */
const REPORT_VIOLATIONS = `addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
  console.error("policy violated: " + violatedDirective + " " + blockedURI))`;

export interface DashboardOptions {
  urlMode?: "path" | "subdomain";
  settings?: Record<string, string>;
  /** Matches console errors that a test causes. By default the browser's line for a refused request. */
  allowed?: RegExp;
}

/**
 * Starts a service in dev mode, and the browser of its people. At the end of the scope, asserts that no page has thrown an error, logged one
 * or violated its policy. It needs no test runner.
 */
export async function serveDashboard(
  scope: Scope,
  openBrowser: (scope: Scope) => Promise<Browser>,
  { urlMode = "path", settings = {}, allowed = /Failed to load resource/ }: DashboardOptions = {},
): Promise<Dashboard> {
  const faults: string[] = [];
  // Runs last, so that a failure leaves nothing open.
  atEnd(scope, async () => assert.deepEqual(faults, []));
  const { target, env } = await startDev(
    scope,
    { SERVICE_URL_MODE: urlMode, ...settings },
    (scope, settings) => startService(scope, settings, urlMode === "subdomain" ? NAMED : "localhost"),
  );
  const browser = await openBrowser(scope);
  const base = env.base.origin;

  const watch = (page: Page) => {
    page.on("pageerror", (error) => faults.push(`${page.url()}: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error" && !allowed.test(message.text()))
        faults.push(`${page.url()}: ${message.text()}`);
    });
  };

  return {
    base,
    target,
    env,
    async open(email, screen = "/", options = {}) {
      const context = await browser.newContext({ reducedMotion: "reduce", ...options });
      context.on("page", watch);
      await context.addInitScript(REPORT_VIOLATIONS);
      const { headers } = await target.signIn(email);
      const cookie =
        headers.find(([name]) => name.toLowerCase() === "cookie")?.[1] ?? assert.fail("no cookie");
      const at = cookie.indexOf("=");
      await context.addCookies([
        {
          name: cookie.slice(0, at),
          value: cookie.slice(at + 1),
          url: base,
          httpOnly: true,
          sameSite: "Lax",
        },
      ]);
      const page = await context.newPage();
      await page.goto(base + screen);
      return { page, context };
    },
  };
}

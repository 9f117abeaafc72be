import { existsSync } from "node:fs";
import { PATIENCE_MS } from "@easel/conformance/patience";
import { type Browser, chromium } from "playwright-core";

/**
 * The browsers of tests. "full" is Chromium as people have it; tests of sign-out, cookies, frames, caches and service workers run in it. "shell" is
 * Chromium without a user interface, for all others: it needs half the processor time, but has no back/forward cache, for one.
 */
export type BrowserKind = "full" | "shell";

const FULL = ["chromium", "chromium-browser", "google-chrome"];
const NAMES: Record<BrowserKind, string[]> = { full: FULL, shell: ["chromium-headless-shell", ...FULL] };

const programOf = (kind: BrowserKind): string | undefined =>
  NAMES[kind].map((name) => `/usr/bin/${name}`).find(existsSync);

/** The compilers for code that runs for long are off: a page of a test lives for seconds, and they take a tenth of the processor time. */
const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --js-flags=--no-opt,--no-maglev";

/** Returns the reason to skip the tests of a browser; false where it is installed. In CI a missing browser is an error. */
function missing(kind: BrowserKind): string | false {
  const reason = programOf(kind) === undefined && `Chromium is not installed (${NAMES[kind].join(" or ")})`;
  if (reason && process.env.CI) throw new Error(`${reason}, and CI runs every test`);
  return reason;
}

/** The reason to skip tests in the shell; false where it or Chromium is installed. */
export const noBrowser = missing("shell");

/** The reason to skip tests in the full browser; false where it is installed. */
export const noFullBrowser = missing("full");

/** Starts a browser. The full one has its back/forward cache, which Playwright turns off by default. */
export const launch = (kind: BrowserKind): Promise<Browser> =>
  chromium.launch({
    executablePath: programOf(kind) ?? "",
    args: FLAGS.split(" "),
    ignoreDefaultArgs: kind === "full" ? ["--disable-back-forward-cache"] : [],
    timeout: PATIENCE_MS,
  });

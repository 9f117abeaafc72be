import { existsSync } from "node:fs";
import { PATIENCE_MS } from "@easel/conformance/patience";
import { type Browser, chromium } from "playwright-core";

/** The path of Chromium. The headless shell is preferred, because it needs half the processor time. */
const PROGRAM = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
  .map((name) => `/usr/bin/${name}`)
  .find(existsSync);

/** The compilers for code that runs for long are off: a page of a test lives for seconds, and they take a tenth of the processor time. */
const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --js-flags=--no-opt,--no-maglev";

/** The reason to skip browser tests; false where Chromium is installed. In CI a missing Chromium is an error. */
export const noBrowser: string | false = PROGRAM === undefined && "Chromium is not installed";
if (noBrowser && process.env.CI) throw new Error(`${noBrowser}, and CI runs every test`);

/** Starts a browser. `goesBack` enables the back/forward cache. */
export const launch = (goesBack: boolean): Promise<Browser> =>
  chromium.launch({
    executablePath: PROGRAM ?? "",
    args: FLAGS.split(" "),
    ignoreDefaultArgs: goesBack ? ["--disable-back-forward-cache"] : [],
    timeout: PATIENCE_MS,
  });

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { chromium, type Page } from "playwright-core";
import { startEasel } from "./easel.ts";
import { call, signIn, textOf } from "./published.ts";
import { figure, median, type Table } from "./table.ts";

const EASEL = join(import.meta.dirname, "../packages/cli/bin/easel.js");
const CHROMIUM = ["chromium-headless-shell", "chromium", "google-chrome"].map((name) => `/usr/bin/${name}`);
const STARTS = 15;
const DEPLOYS = 7;
const SAVES = 15;
const FILES = 1_000;
const SIZE = 10_000;
const TARGETS = { start: "ratio < 1.5", deploy: "< 1,000 ms", reload: "< 100 ms" };

/** The times in ms of the runs of a baseline and of `easel`. */
interface Times {
  baseline: number[];
  easel: number[];
}

/**
 * Measures the built command line against baselines. The baseline of the start is a Node script that loads nothing. The baseline of a
 * deploy with one changed file is to copy and hash the folder. The baseline of the time from a save to the load of the page in `easel dev`
 * is a reload by the browser.
 */
export async function commandLine(): Promise<Table> {
  const home = await mkdtemp(join(tmpdir(), "easel-bench-cli-"));
  try {
    const row = (name: string, { baseline, easel }: Times, target: string) => {
      const ratio = median(easel.map((time, index) => time / (baseline[index] ?? Number.NaN)));
      return [name, figure(median(baseline), 1), figure(median(easel), 1), figure(ratio, 2), target];
    };
    return {
      title: "cli: the command line, in ms",
      conditions: `Medians of ${STARTS} starts, ${DEPLOYS} deploys of ${figure(FILES)} files of 10 KB and ${SAVES} saves, each alternating with its baseline; one run before them is discarded. Node ${process.version}.`,
      columns: ["", "bare", "this", "ratio", "target"],
      rows: [
        row("easel --version", await starts(home), TARGETS.start),
        row("easel deploy, one file changed", await deploys(home), TARGETS.deploy),
        row("easel dev, save to load", await saves(home), TARGETS.reload),
      ],
    };
  } finally {
    await rm(home, { recursive: true });
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Runs the baseline and `easel` alternately. Discards the first run of each. */
async function alternate(
  runs: number,
  baseline: (run: number) => Promise<number>,
  easel: (run: number) => Promise<number>,
): Promise<Times> {
  const times: Times = { baseline: [], easel: [] };
  for (let run = 0; run <= runs; run++) {
    times.baseline.push(await baseline(run));
    times.easel.push(await easel(run));
  }
  return { baseline: times.baseline.slice(1), easel: times.easel.slice(1) };
}

/** Runs a script in a new Node process. Rejects if the script fails. */
const node = (script: string, args: string[] = [], env: NodeJS.ProcessEnv = {}) =>
  promisify(execFile)(process.execPath, [script, ...args], { env: { ...process.env, ...env } });

async function starts(home: string): Promise<Times> {
  const empty = join(home, "empty.js");
  await writeFile(empty, "");
  return alternate(
    STARTS,
    () => timed(() => node(empty)),
    () => timed(() => node(EASEL, ["--version"])),
  );
}

async function deploys(home: string): Promise<Times> {
  const easel = await startEasel("any");
  const [folder, copy] = [join(home, "site"), join(home, "copy")];
  try {
    const made = await call(easel.url, await signIn(easel.url), "POST", "/api/tokens", '{"name":"bench"}');
    const { token } = (await made.json()) as { token: string };
    const environment = { EASEL_URL: easel.url, EASEL_TOKEN: token, EASEL_CONFIG_DIR: home, CI: "true" };
    await mkdir(folder);
    await writeFile(join(folder, "index.html"), "<title>Bench</title>");
    for (let number = 1; number < FILES; number++)
      await writeFile(join(folder, `${number}.html`), textOf(SIZE));
    const change = (run: number) => writeFile(join(folder, `${run + 1}.html`), textOf(SIZE));
    return await alternate(
      DEPLOYS,
      (run) => timed(() => copyAndHash(folder, join(copy, String(run)))),
      async (run) => {
        await change(run);
        return timed(() => node(EASEL, ["deploy", folder], environment));
      },
    );
  } finally {
    await easel.stop();
  }
}

/** Copies a folder and hashes its files. This is the minimum work of a deploy that does not know which files have changed. */
async function copyAndHash(folder: string, copy: string): Promise<void> {
  await cp(folder, copy, { recursive: true });
  for (const { name, parentPath } of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const content = await readFile(join(parentPath, name)).catch(() => "");
    createHash("sha256").update(content).digest();
  }
}

/** Returns the current Unix time in ms, which can be compared with the times that `loaded` returns. */
const now = () => performance.timeOrigin + performance.now();

/** Waits until the page has loaded with the version as its title. Returns the Unix time of the load event in ms. */
async function loaded(page: Page, version: string): Promise<number> {
  await page.waitForFunction(
    `document.title === ${JSON.stringify(version)} && performance.getEntriesByType("navigation")[0].loadEventEnd > 0`,
  );
  return page.evaluate<number>(
    'performance.timeOrigin + performance.getEntriesByType("navigation")[0].loadEventStart',
  );
}

async function saves(home: string): Promise<Times> {
  const folder = join(home, "app");
  const file = join(folder, "index.html");
  const pageOf = (version: string) => `<!doctype html><title>${version}</title><h1>${version}</h1>`;
  await mkdir(folder);
  await writeFile(file, pageOf("first"));
  const child = spawn(process.execPath, [EASEL, "dev", folder, "--throw-away"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const browser = await chromium.launch({
    executablePath: CHROMIUM.find(existsSync) ?? "",
    args: ["--headless", "--no-sandbox", "--disable-gpu"],
  });
  try {
    const page = await browser.newPage();
    await page.goto(await firstLine(child));
    await loaded(page, "first");
    return await alternate(
      SAVES,
      async () => {
        const start = now();
        await page.reload();
        return (await loaded(page, await page.title())) - start;
      },
      async (run) => {
        const start = now();
        await writeFile(file, pageOf(`save ${run}`));
        return (await loaded(page, `save ${run}`)) - start;
      },
    );
  } finally {
    await browser.close();
    child.kill("SIGINT");
    if (child.exitCode === null) await once(child, "exit");
  }
}

/** Returns the first line that a process prints. Rejects if the process prints none. */
async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) return line;
  throw new Error("`easel dev` ended before it served the folder.");
}

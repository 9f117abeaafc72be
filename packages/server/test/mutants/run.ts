import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { postgresPrograms, startPostgres } from "../support/postgres-server.ts";
import { redisProgram, startRedis } from "../support/redis-server.ts";
import { createTables, POSTGRES, REDIS, SQLITE_TEMPLATE } from "../support/servers.ts";
import type { Fault } from "./fault.ts";
import { FAULTS } from "./faults.ts";

/*
 * Counts the deliberate faults that the tests detect: `npm run mutants -- [--whole] [--only=TEXT]... [--at-once=2]`. Applies one fault at a
 * time to a scratch copy of the checkout, and runs the test files that are named with it until one fails; with `--whole` also all other
 * test files. Never changes the checkout.
 */

const ROOT = path.join(import.meta.dirname, "../../../..");
const SDK = "packages/sdk";
const DASHBOARD = "packages/dashboard";
/** The time limit of a test file. One that takes longer counts as failed. */
const FILE_TIMEOUT_MS = 5 * 60_000;
const KILL_AFTER_MS = 5_000;
const MOST_AT_ONCE = 2;
/** Matches a failed test in the TAP report. */
const FAILED = /^ *not ok /m;

const { values: options } = parseArgs({
  options: {
    whole: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [""] },
    "at-once": { type: "string", default: "1" },
  },
});
const atOnce = Math.min(Math.max(Number(options["at-once"]) || 1, 1), MOST_AT_ONCE);

interface Outcome {
  fault: Fault;
  /** The path of the test file that failed; null when none did. */
  caughtBy: string | null;
}

const running = new Set<number>();
const home = mkdtempSync(path.join(os.tmpdir(), "easel-mutants-"));
const programs = postgresPrograms();
const database = programs === undefined ? null : await startPostgres(programs);
const template = path.join(home, "easel.db");
await createTables(`sqlite:${template}`);
const program = redisProgram();
const redis = program === undefined ? null : await startRedis(program);
if (redis === null) process.stdout.write("Redis is not installed: its tests are skipped\n");
if (database === null) process.stdout.write("PostgreSQL is not installed: its tests are skipped\n");
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void stop().then(() => process.exit(1)));

try {
  const faults = FAULTS.filter(({ title, file }) =>
    options.only.some((text) => `${title} ${file}`.includes(text)),
  );
  const missing = faults.flatMap(faultsOf);
  if (missing.length > 0) throw new Error(`the list does not fit the code:\n${missing.join("\n")}`);
  const copies = Array.from({ length: atOnce }, (_, index) => copyTo(path.join(home, `copy-${index}`)));
  await requirePassing(copies[0] as string, new Set(faults.flatMap(({ tests }) => tests)));

  const waiting = [...faults];
  const outcomes: Outcome[] = [];
  await Promise.all(
    copies.map(async (copy) => {
      for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
        const caughtBy = await firstFailing(fault, copy);
        outcomes.push({ fault, caughtBy });
        process.stdout.write(
          `${caughtBy === null ? "SURVIVED" : "caught  "}  ${fault.title}  (${caughtBy ?? fault.file})\n`,
        );
      }
    }),
  );
  const caught = outcomes.filter(({ caughtBy }) => caughtBy !== null).length;
  process.stdout.write(`${caught} of ${outcomes.length} caught, ${outcomes.length - caught} survived\n`);
  if (caught < outcomes.length) process.exitCode = 1;
} finally {
  await stop();
}

async function stop(): Promise<void> {
  for (const group of running) kill(group, "SIGKILL");
  await Promise.all([database?.remove(), redis?.remove()]);
  rmSync(home, { recursive: true, force: true });
}

/** Returns the reasons why a fault cannot be applied: its text does not occur exactly once, or one of its test files does not exist. */
function faultsOf({ title, file, search, tests }: Fault): string[] {
  const source = readSource(path.join(ROOT, file));
  const times = source === null ? "the file is missing" : source.split(search).length - 1;
  const wrong =
    times === 1 ? [] : [`${title}: ${file}: ${typeof times === "string" ? times : `found ${times} times`}`];
  const absent = tests.filter((test) => readSource(path.join(ROOT, test)) === null);
  return [...wrong, ...absent.map((test) => `${title}: no test file ${test}`)];
}

function readSource(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

/**
 * Copies all files that git does not ignore. Links the installed packages of the checkout and the copied packages of the workspace into the
 * node_modules of the copy.
 */
function copyTo(copy: string): string {
  const names = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const name of new Set(names.split("\0")))
    if (name !== "" && readSource(path.join(ROOT, name)) !== null)
      cpSync(path.join(ROOT, name), path.join(copy, name));
  const modules = path.join(ROOT, "node_modules");
  mkdirSync(path.join(copy, "node_modules/@easel"), { recursive: true });
  for (const name of readdirSync(modules))
    if (name !== "@easel") symlinkSync(path.join(modules, name), path.join(copy, "node_modules", name));
  for (const name of readdirSync(path.join(modules, "@easel")))
    symlinkSync(path.join("../../packages", name), path.join(copy, "node_modules/@easel", name));
  // Packages of the workspace have their own node_modules for versions that differ from the shared ones.
  for (const own of globSync("packages/*/node_modules", { cwd: ROOT }))
    symlinkSync(path.join(ROOT, own), path.join(copy, own));
  // The templates of `easel init`, which are built with the command line, and the dashboard.
  for (const built of ["packages/cli/dist", "packages/dashboard/dist"])
    cpSync(path.join(ROOT, built), path.join(copy, built), { recursive: true });
  buildSdk(copy);
  return copy;
}

function run(cwd: string, ...script: string[]): void {
  execFileSync(process.execPath, script, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}

/** Bundles the SDK, which browser tests load. */
function buildSdk(copy: string): void {
  run(path.join(copy, SDK), "build.ts");
}

/** Builds the dashboard, which the service serves as it was built. */
function buildDashboard(copy: string): void {
  const vite = path.join(ROOT, "node_modules/vite/bin/vite.js");
  run(path.join(copy, DASHBOARD), vite, "build", "--logLevel", "error");
}

/** Returns the function that builds again what browser tests load of a file; null if they load nothing of it. */
function builderOf({ file, tests }: Fault): ((copy: string) => void) | null {
  if (file.startsWith(SDK) || file.startsWith("packages/protocol")) return buildSdk;
  const isServed = file.startsWith(DASHBOARD) && tests.some((test) => !test.startsWith(DASHBOARD));
  return isServed ? buildDashboard : null;
}

/** Throws when one of the test files fails on the unchanged copy. */
async function requirePassing(copy: string, files: Set<string>): Promise<void> {
  for (const file of files)
    if (!(await passes(file, copy))) throw new Error(`${file} fails without any fault`);
}

/** Applies a fault, runs test files until one fails, and reverts the fault. Returns the file that failed; null when none did. */
async function firstFailing(fault: Fault, copy: string): Promise<string | null> {
  const { file, search, replacement, tests } = fault;
  const place = path.join(copy, file);
  const source = readFileSync(place, "utf8");
  const build = builderOf(fault);
  writeFileSync(
    place,
    source.replace(search, () => replacement),
  );
  try {
    build?.(copy);
    const others = options.whole ? suite().filter((each) => !tests.includes(each)) : [];
    const hasTables = !file.includes("/migrations/");
    for (const test of [...tests, ...others]) if (!(await passes(test, copy, hasTables))) return test;
    return null;
  } finally {
    writeFileSync(place, source);
    build?.(copy);
  }
}

/** Returns every file that `npm test` runs. */
const suite = () =>
  globSync("{packages,examples}/**/*.test.ts", { cwd: ROOT, exclude: ["**/node_modules/**"] }).sort();

/**
 * Runs one test file up to its first failed test. Returns whether all its tests pass. `hasTables` gives it the database with the tables of the
 * service, which are those of the checkout.
 */
function passes(file: string, copy: string, hasTables = true): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const env = {
      CORPORA: path.join(ROOT, "../shared/corpora"),
      ...process.env,
      ...(database && { [POSTGRES]: database.url }),
      ...(redis && { [REDIS]: redis.url }),
      ...(hasTables && { [SQLITE_TEMPLATE]: template }),
      NODE_COMPILE_CACHE: path.join(home, "compiled"),
    };
    // Starts a new process group, so that processes that the test has started can be ended with it.
    const child = spawn(process.execPath, ["--test-reporter=tap", file], {
      cwd: copy,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const group = child.pid as number;
    running.add(group);
    let failed = false;
    const end = () => {
      failed = true;
      kill(group, "SIGTERM");
      setTimeout(() => kill(group, "SIGKILL"), KILL_AFTER_MS).unref();
    };
    const timer = setTimeout(end, FILE_TIMEOUT_MS);
    let report = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      report = report.slice(report.lastIndexOf("\n") + 1) + text;
      if (!failed && FAILED.test(report)) end();
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      clearTimeout(timer);
      kill(group, "SIGKILL");
      running.delete(group);
      resolve(code === 0 && !failed);
    });
  });
}

function kill(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // No process of the group is left.
  }
}

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { AREA_NAMES, type AreaName, areasOf, type Group, groupsOf, ROOT, TIERS, type Tier } from "./areas.ts";
import { stopKeptPostgres } from "./support/kept-postgres.ts";
import { stopKeptRedis } from "./support/kept-redis.ts";

/*
 * Runs tests: `npm test -- [AREA | TIER | FILE | changed]... [--watch | --stop | options of node --test]`. Without an area, a tier or a file
 * all tests. `changed` stands for the areas that the branch or the working tree changes.
 */

const SUPPORT = path.join(import.meta.dirname, "support");
/** More than the two cores of CI: tests of browsers, processes and outages wait for half of their time. */
const AT_ONCE = 4;

const words = process.argv.slice(2);
const options = words.filter((word) => word.startsWith("-"));
const names = words.filter((word) => !word.startsWith("-"));

const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\n").filter(Boolean);

/** Returns the files that differ from the main branch, with those that are not committed. */
function changedFiles(): string[] {
  const [base = "HEAD"] = git("merge-base", "HEAD", "main");
  return [...git("diff", "--name-only", base), ...git("ls-files", "--others", "--exclude-standard")];
}

/** Returns the groups that the words select. */
function selected(): Group[] {
  const tiers: Tier[] = TIERS.filter((tier) => names.includes(tier));
  const areas: AreaName[] = AREA_NAMES.filter((area) => names.includes(area));
  const files = names.filter((name) => name.endsWith(".test.ts"));
  const known = ["changed", ...tiers, ...areas, ...files];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(
      `No area or tier ${unknown.join(", ")}. Areas: ${AREA_NAMES.join(", ")}. Tiers: ${TIERS.join(", ")}.`,
    );
  const alone = files.map((file) => ({ title: file, files: [path.relative(ROOT, path.resolve(file))] }));
  if (names.includes("changed")) areas.push(...areasOf(changedFiles()));
  else if (areas.length + tiers.length === 0 && alone.length > 0) return alone;
  else if (areas.length === 0) areas.push(...AREA_NAMES);
  return [...groupsOf(areas, tiers.length === 0 ? TIERS : tiers), ...alone];
}

/** Builds what the tests use: the script of the SDK, and for the command line its bundle. */
function build(groups: Group[]): void {
  const scripts = ["sdk"];
  if (groups.some(({ files }) => files.some((file) => /^packages\/cli|^examples|\/service\//.test(file))))
    scripts.push("cli");
  for (const each of scripts)
    execFileSync("npm", ["run", "--silent", "build", "--workspace", `@easel/${each}`], {
      cwd: ROOT,
      stdio: ["ignore", "ignore", "inherit"],
    });
}

/** Writes a module that runs the files of a group. Node starts modules in the order of their names, so the name begins with the number. */
function entryOf({ title, files }: Group, number: number, directory: string): string {
  const name = `${String(number).padStart(3, "0")}-${title.replaceAll(/[^\w-]+/g, "-")}`;
  const entry = path.join(directory, `${name}.mjs`);
  const from = pathToFileURL(path.join(SUPPORT, "import-tests.ts"));
  writeFileSync(
    entry,
    `import { importTests } from "${from}";\nawait importTests(${JSON.stringify(files)});\n`,
  );
  return entry;
}

async function run(groups: Group[]): Promise<number> {
  const directory = mkdtempSync(path.join(os.tmpdir(), "easel-test-groups-"));
  try {
    const isUnit = groups.every(({ title }) => title.startsWith("unit"));
    const child = spawn(
      process.execPath,
      [
        ...["--import", path.join(SUPPORT, "untracked-promises.ts"), "--test"],
        ...(isUnit ? [] : [`--test-global-setup=${path.join(SUPPORT, "servers.ts")}`]),
        ...[`--test-concurrency=${AT_ONCE}`, ...options],
        ...groups.map((group, index) => entryOf(group, index, directory)),
      ],
      { cwd: ROOT, stdio: "inherit" },
    );
    // The child gets the signals of the terminal as well, and ends what it has started.
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
    return await new Promise((resolve) => child.on("exit", (code) => resolve(code ?? 1)));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

if (options.includes("--stop")) await Promise.all([stopKeptPostgres(), stopKeptRedis()]);
else {
  const groups = selected();
  if (groups.length === 0) process.stdout.write("No test belongs to what has changed.\n");
  else {
    build(groups);
    process.exitCode = await run(groups);
  }
}

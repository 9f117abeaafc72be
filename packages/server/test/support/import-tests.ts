import { globSync } from "node:fs";
import path from "node:path";
import { before } from "node:test";

export const ROOT = path.join(import.meta.dirname, "../../../..");

/**
 * Groups of test files. Each group runs in one process, because a small file takes most of its time to start a process. Files that mock
 * timers for a whole suite are in no group.
 */
export const GROUPS = {
  units: ["packages/*/src/**/*.test.ts"],
  sdk: ["packages/{sdk,react}/test/*.test.ts"],
  cli: ["packages/cli/test/*.test.ts"],
  ...folders("management", "organisation", "canvases", "identity", "sign-in", "pipeline", "content"),
  drivers: [
    "packages/server/test/drivers/{db,instance,migrate,postgres-outage,postgres-writes,private-files,sqlite-locked,sqlite-open,tables}.test.ts",
  ],
  primitives: ["packages/server/test/primitives/*.test.ts"],
  files: ["packages/server/test/primitives/files/*.test.ts"],
  realtime: ["packages/server/test/primitives/realtime/*.test.ts"],
  "examples-a-to-d": ["examples/[a-d]*.test.ts"],
  "examples-e-to-z": ["examples/[e-z]*.test.ts"],
  "browser-of-canvases": ["packages/server/test/{content,management,primitives}/**/*.test.ts"],
  "browser-of-service": ["packages/server/test/{service,sign-in}/*.test.ts"],
  "browser-of-cli": ["packages/cli/test/*.test.ts"],
  crash: ["packages/server/test/{canvases,primitives}/**/*.test.ts"],
  basics: ["packages/server/test/{config,crypto,home,http,instance}/*.test.ts"],
  stores: [
    "packages/server/test/primitives/{ai,kv,submissions,collections,people,authoring,connections}/*.test.ts",
  ],
} satisfies Record<string, string[]>;

/**
 * Test files that need a process of their own: `vite-browser` runs Vite, `canvas-data` changes the list of primitives, `delivery` and
 * `stopped-uploads` mock timers while services run, and `realtime-leaks` measures the memory of the process.
 */
const ALONE = /^(vite-browser|canvas-data|delivery|stopped-uploads|realtime-leaks)\./;

/**
 * The kinds of test files whose groups start with the name of the kind, in whatever folder they are: they share a browser, or they wait for
 * processes.
 */
const KINDS = ["browser", "crash"];

/** Returns the kind of a test file or group, or undefined if it has none. */
const kindOf = (name: string) => KINDS.find((kind) => name.includes(kind));

function folders<Name extends string>(...names: Name[]): Record<Name, string[]> {
  const entries = names.map((name) => [name, [`packages/server/test/${name}/*.test.ts`]]);
  return Object.fromEntries(entries);
}

/** Returns the files that match patterns, as paths below the root of the repository. */
export const filesOf = (patterns: string[]): string[] =>
  globSync(patterns, { cwd: ROOT, exclude: (file) => file.includes("node_modules") }).sort();

/** Returns the files of a group. */
export const filesOfGroup = (name: keyof typeof GROUPS): string[] =>
  filesOf(GROUPS[name]).filter((file) => {
    const base = path.basename(file);
    return !ALONE.test(base) && kindOf(base) === kindOf(name);
  });

/** Runs the files of a group in this process. No test starts before all files are imported, because services stop when no test is left. */
export async function importGroup(name: keyof typeof GROUPS): Promise<void> {
  const { promise: imported, resolve } = Promise.withResolvers<void>();
  before(() => imported);
  try {
    for (const file of filesOfGroup(name)) await import(path.join(ROOT, file));
  } finally {
    resolve();
  }
}

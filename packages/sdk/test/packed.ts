import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";

export const run = promisify(execFile);

const ROOT = path.join(import.meta.dirname, "../../..");

/** A tarball as `npm publish` would upload it. */
export interface Packed {
  name: string;
  tarball: Buffer;
  /** The paths of its files, below `package/`. */
  files: string[];
}

/** The packages of this process. Two builds of one package at the same time would disturb each other, because they write the same files. */
const packages = new Map<string, Promise<Packed>>();

/** Builds a workspace and packs it. Further calls with the same name return the same tarball. */
export function pack(name: string): Promise<Packed> {
  const packed = packages.get(name) ?? buildAndPack(name);
  packages.set(name, packed);
  return packed;
}

async function buildAndPack(name: string): Promise<Packed> {
  const folder = await mkdtemp(path.join(tmpdir(), "easel-pack-"));
  try {
    const options = ["pack", "--json", "--silent", "--workspace", name, "--pack-destination", folder];
    const { stdout } = await run("npm", options, { cwd: ROOT });
    const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf("[")));
    const tarball = await readFile(path.join(folder, filename));
    return { name, tarball, files: files.map((file: { path: string }) => file.path) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Asserts that publint and "Are the types wrong?" find no problem, except from CommonJS, which the packages do not support. */
export async function assertPublishable({ tarball }: Packed): Promise<void> {
  const { messages } = await publint({ pack: { tarball: Uint8Array.from(tarball).buffer }, strict: true });
  assert.deepEqual(messages, []);
  const analysis = await checkPackage(createPackageFromTarballData(tarball));
  assert.ok(analysis.types);
  const problems = analysis.problems.filter(
    (problem) =>
      !("resolutionKind" in problem && problem.resolutionKind === "node10") &&
      problem.kind !== "CJSResolvesToESM",
  );
  assert.deepEqual(problems, []);
}

/**
 * Creates a project with the given files, outside the repository. Its dependencies are the packed packages, unpacked from their tarballs,
 * and `linked` packages of the repository's own `node_modules`.
 */
export async function createProject(
  t: TestContext,
  packed: Packed[],
  linked: string[],
  files: Record<string, string>,
): Promise<string> {
  const project = await mkdtemp(path.join(tmpdir(), "easel-project-"));
  t.after(() => rm(project, { recursive: true }));
  const installed = (name: string) => path.join(project, "node_modules", name);
  for (const { name, tarball } of packed) {
    await mkdir(installed(name), { recursive: true });
    const archive = path.join(project, "package.tgz");
    await writeFile(archive, tarball);
    await run("tar", ["-xzf", archive, "-C", installed(name), "--strip-components=1"]);
    await rm(archive);
  }
  for (const name of linked) {
    await mkdir(path.dirname(installed(name)), { recursive: true });
    await symlink(path.join(ROOT, "node_modules", name), installed(name));
  }
  for (const [name, text] of Object.entries({ "package.json": '{"type":"module"}', ...files })) {
    await mkdir(path.dirname(path.join(project, name)), { recursive: true });
    await writeFile(path.join(project, name), text);
  }
  return project;
}

/** Asserts that a TypeScript project compiles. */
export async function assertCompiles(project: string, options: object): Promise<void> {
  const compilerOptions = { strict: true, noEmit: true, target: "es2022", ...options };
  await writeFile(path.join(project, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = await run(process.execPath, [tsc, "-p", project]).catch((error) => error);
  assert.equal(stdout, "", JSON.stringify(options));
}

import { execFile } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { type Scope, temporaryDirectory } from "../../../server/test/support/service.ts";

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, "../../../..");

/** The packed command line: the tarball, and the paths of the files in it. */
interface Packed {
  tarball: string;
  files: string[];
}

/** Packs the built package into a folder. Does not build the package, because other tests run the built files at the same time. */
export async function packEasel(folder: string): Promise<Packed> {
  const packing = ["pack", "--json", "--silent", "--ignore-scripts", "--workspace", "@easel/cli"];
  const { stdout } = await run("npm", [...packing, "--pack-destination", folder], { cwd: ROOT });
  const [packed] = Object.values(JSON.parse(stdout)) as [{ filename: string; files: { path: string }[] }];
  return { tarball: path.join(folder, packed.filename), files: packed.files.map((file) => file.path) };
}

/**
 * Unpacks the tarball of the package into an empty folder, as npm does for a package without dependencies. Returns the folder of its
 * executables.
 */
export async function installEasel(scope: Scope): Promise<string> {
  const folder = await temporaryDirectory(scope);
  const { tarball } = await packEasel(folder);
  await run("tar", ["-xzf", tarball], { cwd: folder });
  const programs = path.join(folder, "bin");
  await mkdir(programs);
  await symlink(path.join(folder, "package/bin/easel.js"), path.join(programs, "easel"));
  return programs;
}

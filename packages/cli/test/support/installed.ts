import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { type Scope, temporaryDirectory } from "../../../server/test/support/service.ts";

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, "../../../..");

/**
 * Packs the built package and installs its tarball into an empty folder, without a network. Returns the folder of its executables. Does not
 * build the package, because other tests run the built files at the same time.
 */
export async function installEasel(scope: Scope): Promise<string> {
  const folder = await temporaryDirectory(scope);
  const packing = ["pack", "--silent", "--ignore-scripts", "--workspace", "@easel/cli"];
  const { stdout } = await run("npm", [...packing, "--pack-destination", folder], { cwd: ROOT });
  const project = path.join(folder, "project");
  await mkdir(project);
  const tarball = path.join(folder, stdout.trim());
  const options = ["--offline", "--no-audit", "--no-fund", "--silent", "--cache", path.join(folder, "cache")];
  await run("npm", ["install", ...options, tarball], { cwd: project });
  return path.join(project, "node_modules/.bin");
}

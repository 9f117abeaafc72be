import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../areas.ts";
import { type Scope, temporaryDirectory } from "./service.ts";

const run = promisify(execFile);
const BUILD = path.join(ROOT, "packages/server/build.ts");

/** The package of the service, installed in a folder that has nothing else. */
export interface InstalledServer {
  /** The folder of the package. */
  folder: string;
  /** The program, as npm links it. */
  program: string;
  tarball: string;
}

/** Builds and packs `@easel/server`, and installs the tarball in an empty folder, without a registry. */
export async function installServer(scope: Scope): Promise<InstalledServer> {
  const directory = await temporaryDirectory(scope);
  const built = path.join(directory, "built");
  await run(process.execPath, [BUILD, built]);
  const { stdout } = await run("npm", ["pack", "--silent", built, "--pack-destination", directory]);
  const tarball = path.join(directory, stdout.trim());
  const empty = path.join(directory, "installed");
  await mkdir(empty);
  await run("npm", ["install", "--silent", "--offline", "--prefix", empty, tarball], { cwd: empty });
  return {
    folder: path.join(empty, "node_modules/@easel/server"),
    program: path.join(empty, "node_modules/.bin/easel-server"),
    tarball,
  };
}

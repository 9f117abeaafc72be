import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** Returns the folder of the npm package that a module belongs to, or undefined for a module of this repository. */
function packageOf(module: string): string | undefined {
  const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module.replaceAll(path.sep, "/")) ?? [];
  return folder?.replace(/^\0/, "");
}

/** Returns the name, version and licence text of a package. Throws if its `package.json` names no licence. */
async function printLicense(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  if (typeof license !== "string") throw new Error(`${name} names no licence.`);
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? "" : `\n${(await readFile(path.join(folder, file), "utf8")).trim()}\n`;
  return `${name} ${version} (${license})\n${text}`;
}

/** Returns the licences of all npm packages that the given modules belong to, as one text. Throws if a package names none. */
export async function printLicenses(modules: readonly string[]): Promise<string> {
  const folders = new Set(modules.map(packageOf).filter((folder) => folder !== undefined));
  const texts = await Promise.all([...folders].map(printLicense));
  return `This program contains code of these packages.\n\n${texts.sort().join(`\n${"-".repeat(80)}\n\n`)}`;
}

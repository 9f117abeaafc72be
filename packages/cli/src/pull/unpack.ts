import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, type Stats } from "node:fs";
import { lstat, mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import { count } from "../terminal/count.ts";
import type { ArchivedFile } from "./archive.ts";

/** The most paths that an error names. */
const NAMED = 10;

const statOf = (file: string): Promise<Stats | undefined> =>
  lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });

async function digestOf(stream: Readable): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(stream, hash);
  return hash.digest("hex");
}

/** Returns the folders below the top folder in which a file lies, the outermost first. */
function foldersOf(name: string): string[] {
  const segments = name.split("/").slice(0, -1);
  return segments.map((_, index) => segments.slice(0, index + 1).join("/"));
}

/** Files to write, and those that are there already with the same content. */
export interface Plan {
  changed: ArchivedFile[];
  unchanged: number;
}

/**
 * Compares files with a folder. Throws a `Failure` if a file would be written through a symbolic link, which may lead out of the folder, or
 * would replace a folder; and, unless `force` is true, if it would replace another file.
 */
export async function planFiles(
  folder: string,
  files: readonly ArchivedFile[],
  force: boolean,
): Promise<Plan> {
  const folders = new Set(files.flatMap(({ path: name }) => foldersOf(name)));
  for (const name of folders) {
    const found = await statOf(path.join(folder, name));
    if (found === undefined || found.isDirectory()) continue;
    const what = found.isSymbolicLink() ? "a symbolic link" : "a file";
    fail(`${clean(path.join(folder, name))} is ${what}, and a folder in the canvas.`, {
      hint: "Remove it, or pull into another folder.",
    });
  }
  const plan: Plan = { changed: [], unchanged: 0 };
  const different: string[] = [];
  for (const file of files) {
    const target = path.join(folder, file.path);
    const found = await statOf(target);
    if (found?.isDirectory()) fail(`${clean(target)} is a folder, and a file in the canvas.`);
    const isSame =
      found?.isFile() === true &&
      found.size === file.size &&
      (await digestOf(createReadStream(target))) === (await digestOf(await file.open()));
    if (isSame) {
      plan.unchanged += 1;
      continue;
    }
    plan.changed.push(file);
    if (found !== undefined) different.push(file.path);
  }
  if (different.length > 0 && !force) {
    const named = different.slice(0, NAMED).map((name) => `\n  ${clean(name)}`);
    const more = different.length > NAMED ? `\n  and ${different.length - NAMED} more` : "";
    fail(`${count(different.length, "file")} of the folder would be overwritten:${named.join("")}${more}`, {
      hint: "Give --force to overwrite them, or pull into another folder.",
    });
  }
  return plan;
}

/** Writes a file: first beside its place, so that nobody sees half of it. A symbolic link in its place is replaced, not followed. */
export async function writeFile(folder: string, file: ArchivedFile, signal: AbortSignal): Promise<void> {
  const target = path.join(folder, file.path);
  await mkdir(path.dirname(target), { recursive: true });
  const draft = `${target}.${process.pid}.easel-tmp`;
  try {
    await pipeline(await file.open(), createWriteStream(draft, { flags: "wx" }), { signal });
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

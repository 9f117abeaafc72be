import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, type Stats } from "node:fs";
import { lstat, mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import { count } from "../terminal/format.ts";
import type { ArchivedFile } from "./archive.ts";

/** The maximum number of paths that an error lists. */
const MAX_LISTED = 10;

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

/** Returns the parent folders of a relative path, the outermost first. */
function foldersOf(name: string): string[] {
  const segments = name.split("/").slice(0, -1);
  return segments.map((_, index) => segments.slice(0, index + 1).join("/"));
}

/** The files to write, and the number of files that already have the same content. */
export interface Plan {
  changed: ArchivedFile[];
  unchanged: number;
}

/**
 * Compares the files of a zip with a folder. Throws a `Failure` if a parent folder of a file is a symbolic link, which may lead out of the
 * folder, or if a file and a folder have the same path. Unless `force` is true, also throws one if a file would be overwritten.
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
    const named = different.slice(0, MAX_LISTED).map((name) => `\n  ${clean(name)}`);
    const more = different.length > MAX_LISTED ? `\n  and ${different.length - MAX_LISTED} more` : "";
    fail(`${count(different.length, "file")} of the folder would be overwritten:${named.join("")}${more}`, {
      hint: "Give --force to overwrite them, or pull into another folder.",
    });
  }
  return plan;
}

/** Writes a file atomically, by renaming a temporary file. Replaces a symbolic link instead of following it. */
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

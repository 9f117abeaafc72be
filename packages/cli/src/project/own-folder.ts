import { mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import { readUntrusted, replaceFile, requireKind } from "./files.ts";

/*
 * The subfolder `.easel`, in which `easel` keeps its own data. It is never deployed. The folder around it may be a clone of a repository of
 * somebody else, in which `.easel` or a file in it is a symbolic link. Links are refused, and neither read nor written through.
 */

/** The file in `.easel` with the JSON Schema of `easel.json`, which editors load. */
export const SCHEMA_FILE = "easel.schema.json";

/** The `.gitignore` of the folder. Its files belong to one working copy, except the schema, to which `easel.json` refers. */
const IGNORED = `*\n!.gitignore\n!${SCHEMA_FILE}\n`;

/** The maximum size of a file in `.easel` that is read. */
const MAX_BYTES = 1024 * 1024;

const pathOf = (folder: string, ...names: string[]): string => path.join(folder, ".easel", ...names);

/** Whether `.easel` of a folder has a file with this name. Throws a `Failure` for a link. */
export const hasOwnFile = async (folder: string, name: string): Promise<boolean> =>
  (await requireKind(pathOf(folder), "folder")) && requireKind(pathOf(folder, name), "file");

/** Reads a file in `.easel` of a folder. Returns undefined if there is none. Throws a `Failure` for a link. */
export async function readOwnFile(folder: string, name: string): Promise<string | undefined> {
  if (!(await requireKind(pathOf(folder), "folder"))) return undefined;
  return readUntrusted(pathOf(folder, name), MAX_BYTES);
}

/** Writes a file in `.easel` of a folder. Replaces the file atomically. Throws a `Failure` for a link. */
export async function writeOwnFile(folder: string, name: string, text: string): Promise<void> {
  await makeOwnFolder(folder);
  await replaceOwnFile(folder, name, text);
}

async function replaceOwnFile(folder: string, name: string, text: string): Promise<void> {
  await requireKind(pathOf(folder, name), "file");
  await replaceFile(pathOf(folder, name), text);
}

/** Makes the subfolder `.easel`, if it is missing. Returns its path. Throws a `Failure` for a link. */
export async function makeOwnFolder(folder: string): Promise<string> {
  if (!(await requireKind(pathOf(folder), "folder"))) await mkdir(pathOf(folder), { recursive: true });
  await replaceOwnFile(folder, ".gitignore", IGNORED);
  return pathOf(folder);
}

/**
 * Returns the path of a subfolder of `.easel`, which need not exist. Throws a `Failure` if it is a link or contains one at any depth, because
 * programs that open its files would follow it.
 */
export async function ownSubfolder(folder: string, name: string): Promise<string> {
  const root = path.join(await makeOwnFolder(folder), name);
  const requirePlain = async (at: string): Promise<void> => {
    for (const entry of await readdir(at, { withFileTypes: true })) {
      const file = path.join(at, entry.name);
      if (entry.isDirectory()) await requirePlain(file);
      else if (!entry.isFile())
        fail(`${clean(file)} is a symbolic link or a special file, and is not opened.`, {
          hint: `Remove ${clean(root)}, or use --throw-away.`,
        });
    }
  };
  if (await requireKind(root, "folder")) await requirePlain(root);
  return root;
}

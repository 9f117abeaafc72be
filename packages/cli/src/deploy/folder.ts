import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { LIMITS } from "@easel/protocol/limits";
import { hasDotFile } from "@easel/server/canvases/publishing/left-out";
import { selectFiles } from "@easel/server/canvases/publishing/select-files";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";

/** A file of a folder: its path in the canvas, its absolute path on the disk, and its size in bytes. */
export interface FolderFile {
  path: string;
  file: string;
  size: number;
}

/** A path that is not published, with the reason in words. */
export interface LeftOutPath {
  path: string;
  reason: string;
}

/** The files of a folder that a deploy publishes, sorted by path, and those that it leaves out. */
export interface FolderContent {
  files: FolderFile[];
  leftOut: LeftOutPath[];
  warnings: string[];
}

const REASONS = { dot_file: "dot file", litter: "made by a file manager" };

/** Calls `visit` for every file and symbolic link below a folder. Does not enter dot folders, except `.well-known` at the top. */
async function walk(
  root: string,
  visit: (file: string, name: string, isLink: boolean) => Promise<void> | void,
  below = "",
): Promise<void> {
  for (const entry of await readdir(path.join(root, below), { withFileTypes: true })) {
    const relative = path.join(below, entry.name);
    const name = relative.split(path.sep).join("/").normalize("NFC");
    if (entry.isDirectory() && !hasDotFile(name) && entry.name !== "node_modules")
      await walk(root, visit, relative);
    else if (entry.isDirectory()) await visit(path.join(root, relative), `${name}/`, false);
    else if (entry.isFile() || entry.isSymbolicLink())
      await visit(path.join(root, relative), name, entry.isSymbolicLink());
  }
}

async function requireFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) fail(`There is no folder ${clean(folder)}.`, { exit: "usage" });
  if (!found.isDirectory()) fail(`${clean(folder)} is not a folder.`, { exit: "usage" });
}

/**
 * Reads which files of a folder a deploy publishes, by the rules of the service. Dot files, symbolic links, `node_modules` and litter are
 * left out. Names are normalized to NFC. Throws a `Failure` for a file that cannot be read, and if the service would refuse the folder.
 */
export async function readFolder(folder: string): Promise<FolderContent> {
  await requireFolder(folder);
  const files: FolderFile[] = [];
  const leftOut: LeftOutPath[] = [];
  const unreadable: string[] = [];
  const { value: mostBytes } = LIMITS.bundleUnpackedBytes;
  await walk(folder, async (file, name, isLink) => {
    if (name.endsWith("node_modules/"))
      return void leftOut.push({ path: name, reason: "installed packages" });
    if (name.endsWith("/")) return void leftOut.push({ path: name, reason: REASONS.dot_file });
    if (isLink) return void leftOut.push({ path: name, reason: "symbolic link" });
    if (files.length > LIMITS.bundleEntries.value) return;
    const { size } = await stat(file);
    if (size > mostBytes)
      fail(`${clean(name)} has ${size} bytes; all files of a canvas together may have ${mostBytes}.`);
    if (
      !hasDotFile(name) &&
      !(await access(file, constants.R_OK).then(
        () => true,
        () => false,
      ))
    )
      unreadable.push(name);
    files.push({ path: name, file, size });
  });
  if (files.length > LIMITS.bundleEntries.value)
    fail(
      `${clean(folder)} has more than ${LIMITS.bundleEntries.value} files, the most that a canvas may have.`,
    );
  if (unreadable.length > 0)
    fail(`These files cannot be read: ${unreadable.slice(0, 10).map(clean).join(", ")}.`);
  const selected = await selectFiles(files).catch((error: Error) => fail(clean(error.message)));
  if (!selected.files.some((file) => file.path === "index.html"))
    fail(`${clean(folder)} has no index.html, which every canvas needs.`, {
      hint: "Is it the right folder? A build is often in dist or build.",
    });
  for (const { path: name, reason } of selected.leftOut)
    leftOut.push({ path: name, reason: REASONS[reason] });
  return { ...selected, leftOut };
}

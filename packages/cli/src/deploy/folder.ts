import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { LIMITS } from "@easel/protocol/limits";
import { hasDotFile, selectFiles } from "@easel/server/bundle-files";
import { fail } from "../exit.ts";
import { unportablePaths } from "../project/portable-path.ts";
import { clean } from "../terminal/clean.ts";
import { count, formatBytes } from "../terminal/format.ts";

/**
 * A file in a folder, or a path that is not published. `name` is the path in the canvas, normalized to NFC; the name of a folder ends with
 * a slash. `leftOut` is the reason why the path is not published, in words.
 */
export interface FolderEntry {
  name: string;
  /** The absolute path on the disk. */
  file: string;
  leftOut?: string;
}

/** The folder in which `easel` keeps its own data. It is never published, and not listed as left out. */
const OWN_FOLDER = ".easel";

/**
 * Yields the files in a folder and its subfolders. Does not enter `node_modules`, symbolic links, and dot folders except `.well-known` at
 * the top, but yields them as left out.
 */
async function* walk(root: string, below = ""): AsyncGenerator<FolderEntry> {
  for (const entry of await readdir(path.join(root, below), { withFileTypes: true })) {
    const relative = path.join(below, entry.name);
    const file = path.join(root, relative);
    const name = relative.split(path.sep).join("/").normalize("NFC");
    if (entry.isSymbolicLink()) yield { name, file, leftOut: "symbolic link" };
    else if (entry.isFile()) yield { name, file };
    else if (!entry.isDirectory() || name === OWN_FOLDER) continue;
    else if (entry.name === "node_modules") yield { name: `${name}/`, file, leftOut: "installed packages" };
    else if (hasDotFile(name)) yield { name: `${name}/`, file, leftOut: "dot file" };
    else yield* walk(root, relative);
  }
}

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

async function requireFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) fail(`There is no folder ${clean(folder)}.`, { exit: "usage" });
  if (!found.isDirectory()) fail(`${clean(folder)} is not a folder.`, { exit: "usage" });
}

const failWithoutPage = (folder: string): never =>
  fail(`${clean(folder)} has no index.html, which every canvas needs.`, {
    hint: "Is it the right folder? A build is often in dist or build.",
  });

/** Whether the person may read a file. */
const isReadable = (file: string): Promise<boolean> =>
  access(file, constants.R_OK).then(
    () => true,
    () => false,
  );

/** Lists the files of a folder. Throws a `Failure` for too many files, a file that is too large, or files that cannot be read. */
async function listFiles(folder: string, leftOut: LeftOutPath[]): Promise<FolderFile[]> {
  const { bundleEntries, bundleUnpackedBytes } = LIMITS;
  const files: FolderFile[] = [];
  const unreadable: string[] = [];
  for await (const { name, file, leftOut: reason } of walk(folder)) {
    if (reason !== undefined) {
      leftOut.push({ path: name, reason });
      continue;
    }
    if (files.length === bundleEntries.value)
      fail(`${clean(folder)} has more than ${bundleEntries.value} files, the most that a canvas may have.`);
    const { size } = await stat(file);
    if (size > bundleUnpackedBytes.value)
      fail(
        `${clean(name)} has ${formatBytes(size)}; a canvas may have ${formatBytes(bundleUnpackedBytes.value)} in all.`,
      );
    if (!hasDotFile(name) && !(await isReadable(file))) unreadable.push(name);
    files.push({ path: name, file, size });
  }
  if (unreadable.length > 0)
    fail(`These files cannot be read: ${unreadable.slice(0, 10).map(clean).join(", ")}.`, {
      hint: "Change their permissions, or move them out of the folder.",
    });
  return files;
}

/** The maximum number of paths in warnings. */
const MAX_WARNED = 10;

/** Returns a warning for each file that some system cannot hold: nobody could pull the canvas. */
function portabilityWarnings(files: readonly FolderFile[]): string[] {
  const found = unportablePaths(files.map(({ path }) => path));
  const warnings = found
    .slice(0, MAX_WARNED)
    .map(({ path, fault }) => `\`${clean(path)}\` ${clean(fault)}, so \`easel pull\` refuses this canvas.`);
  const more = found.length - warnings.length;
  return more > 0 ? [...warnings, `${count(more, "more path")} cannot be pulled.`] : warnings;
}

/**
 * Returns the files of a folder that a deploy publishes, by the rules of the service. Leaves out dot files, symbolic links, `node_modules`
 * and files of file managers such as `Thumbs.db`. Normalizes names to NFC. Throws a `Failure` if a file cannot be read, or if the service
 * would refuse the folder.
 */
export async function readFolder(folder: string): Promise<FolderContent> {
  await requireFolder(folder);
  const leftOut: LeftOutPath[] = [];
  const files = await listFiles(folder, leftOut);
  if (!files.some(({ path }) => !hasDotFile(path))) failWithoutPage(folder);
  const selected = await selectFiles(files).catch((error: Error) => fail(clean(error.message)));
  if (!selected.files.some(({ path }) => path === "index.html")) failWithoutPage(folder);
  for (const { path, reason } of selected.leftOut) leftOut.push({ path, reason: REASONS[reason] });
  const warnings = [...selected.warnings, ...portabilityWarnings(selected.files)];
  return { ...selected, leftOut, warnings };
}

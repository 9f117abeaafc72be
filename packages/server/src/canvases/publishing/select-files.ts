import { pathFault } from "@easel/protocol/bundle";
import { LIMITS } from "@easel/protocol/limits";
import type { LeftOut } from "@easel/protocol/types";
import { nextTurn } from "../../async/next-turn.ts";
import { refuse } from "../../http/refusal.ts";

/** The maximum number of left-out paths that a response lists. */
const MAX_ENTRIES = 100;
/** The maximum length of a left-out path in a response, in characters. A longer path is cut. */
const MAX_PATH_LENGTH = 200;

/** Matches the paths of litter: files that file managers add to folders and zips. */
const LITTER = /(^|\/)(__MACOSX\/|(\.DS_Store|Thumbs\.db|desktop\.ini)$)/i;

const isDotFile = (name: string, depth: number) =>
  name.startsWith(".") && !(depth === 0 && name === ".well-known");

const isLitterFolder = (name: string) => name.toLowerCase() === "__macosx";

/**
 * Whether a path contains a dot file or folder, such as `.env` or `.git/config`. The folder `.well-known/` at the top is not counted as
 * one.
 */
export const hasDotFile = (path: string): boolean =>
  /(^|\/)\./.test(path.replace(/^\.well-known(?=\/|$)/, ""));

/**
 * Returns the path that a response reports for a file that is left out. If a folder in the path is left out as a whole, this is that
 * folder, such as `.git/` for `.git/config`. Otherwise it is the file.
 */
function reportedPath(path: string, isLeftOut: typeof isDotFile): string {
  const segments = path.split("/");
  const end = segments.findIndex(isLeftOut) + 1;
  return end > 0 && end < segments.length ? `${segments.slice(0, end).join("/")}/` : path;
}

/** Collects the files of a bundle that are not published, for the response to a deploy. */
class LeftOutList {
  readonly #seen = new Map<string, LeftOut["reason"]>();

  /** Adds a path if it is litter, such as `.DS_Store`. Returns whether it is. */
  addIfLitter(path: string): boolean {
    if (!LITTER.test(path)) return false;
    this.#add(reportedPath(path, isLitterFolder), "litter");
    return true;
  }

  /** Adds a path that contains a dot file or a dot folder. */
  addDotFile(path: string): void {
    this.#add(reportedPath(path, isDotFile), "dot_file");
  }

  /** Returns the first 100 paths that were added, with the reasons why they are left out. */
  entries(): LeftOut[] {
    return [...this.#seen].slice(0, MAX_ENTRIES).map(([path, reason]) => ({ path, reason }));
  }

  /** The number of paths that `entries` omits. */
  get more(): number {
    return Math.max(0, this.#seen.size - MAX_ENTRIES);
  }

  #add(path: string, reason: LeftOut["reason"]): void {
    this.#seen.set(path.slice(0, MAX_PATH_LENGTH).toWellFormed(), reason);
  }
}

const INDEX = "index.html";
const PAGE = /\.html?$/i;

interface File {
  path: string;
}

/**
 * Returns the HTML page whose content can be copied to `index.html`, or undefined if the bundle has no such page. The page must be the only
 * one, and at the top of the bundle, so that its relative links work in `index.html` too.
 */
function onlyPage<Page extends File>(files: Page[]): Page | undefined {
  // On some file systems, an existing `Index.html`, or a folder of this name, would be the same file as the added `index.html`.
  if (files.some(({ path }) => path.split("/")[0]?.toLowerCase() === INDEX)) return undefined;
  const [page, ...others] = files.filter(({ path }) => PAGE.test(path));
  const isStart = others.length === 0 && page?.path.includes("/") === false && page.path !== "404.html";
  return isStart ? page : undefined;
}

/**
 * If there is no `index.html`, adds one with the content of the only HTML page. `warnings` says that this was done, or that the canvas has
 * no start page.
 */
function withStartPage<Page extends File>(files: Page[]): { files: Page[]; warnings: string[] } {
  if (files.some(({ path }) => path === INDEX)) return { files, warnings: [] };
  const page = onlyPage(files);
  if (page === undefined) {
    const warning = "The bundle has no `index.html` at its top, so the canvas has no start page.";
    return { files, warnings: [warning] };
  }
  const warning = `The bundle has no \`index.html\`, so its only page, \`${page.path}\`, is served as \`index.html\` too.`;
  return { files: [...files, { ...page, path: INDEX }], warnings: [warning] };
}

/** Returns warnings about paths that are likely to be in the bundle by mistake. */
const pathWarnings = (files: File[]): string[] =>
  files.some(({ path }) => /(^|\/)node_modules\//.test(path))
    ? ["The bundle has a `node_modules` folder. Deploy the output of the build, not the project."]
    : [];

/** A file that a client wants to publish, by its path and its size in bytes. */
export interface OfferedFile {
  path: string;
  size: number;
}

/** The result of `selectFiles`: the files to publish, the files that are not published, and warnings in words about likely mistakes. */
export interface Selection<File> {
  files: File[];
  leftOut: LeftOut[];
  warnings: string[];
}

/** The number of paths that are checked without a pause. */
const PATHS_AT_ONCE = 500;

/** Gives the turn of the event loop away. */
type Pause = () => Promise<void> | undefined;

const invalid = (message: string): never => refuse("INVALID_BODY", { message });

/** Quotes the first 100 characters of a path for an error message. */
export const quoted = (path: string): string => `\`${path.slice(0, 100).toWellFormed()}\``;

/**
 * Returns the top folder that contains all paths, such as `site/`. Returns "" if there is no such folder, or if its name begins with a dot
 * or cannot be served. A zip has such a folder if the folder itself was zipped and not its content.
 */
export function commonFolder(paths: string[]): string {
  const first = paths[0] ?? "";
  const folder = first.slice(0, first.indexOf("/") + 1);
  const isSound = pathFault(folder.slice(0, -1)) === undefined && !folder.startsWith(".");
  return isSound && paths.every((path) => path.startsWith(folder)) ? folder : "";
}

/**
 * Returns the files to keep. Leaves out dot files and litter (such as `.DS_Store`), and records them in `leftOut`. If one folder contains
 * all files, removes it from their paths.
 */
function keptOf<File extends OfferedFile>(offered: File[], leftOut: LeftOutList): File[] {
  const files = offered.filter(({ path }) => !leftOut.addIfLitter(path));
  // Allows `.well-known/` at the top and also one folder below, because the common folder has not been removed from the paths yet.
  const isHidden = (path: string) => hasDotFile(path.replace(/^([^./][^/]*\/)?\.well-known\//, ""));
  const folder = commonFolder(files.map(({ path }) => path).filter((path) => !isHidden(path)));
  return files.flatMap((file) => {
    const path = file.path.startsWith(folder) ? file.path.slice(folder.length) : file.path;
    if (!hasDotFile(path) || pathFault(path) !== undefined) return [{ ...file, path }];
    leftOut.addDotFile(path);
    return [];
  });
}

/**
 * Returns a key for sorting paths. Paths that differ only in case or Unicode normalization have equal keys. Slashes become NUL characters,
 * so that a file sorts directly before the files in a folder of the same name.
 */
const sortKeyOf = (path: string): string => path.normalize("NFC").toLowerCase().replaceAll("/", "\0");

/**
 * Throws 400 `INVALID_BODY` if a path cannot be served, occurs twice, differs from another path only in case or Unicode normalization, or
 * is both a file and a folder.
 */
async function checkPaths(paths: string[], pause: Pause): Promise<void> {
  const keyed: { path: string; key: string }[] = [];
  for (const path of paths) {
    const fault = pathFault(path);
    if (fault !== undefined) invalid(`The path ${quoted(path)} ${fault}.`);
    keyed.push({ path, key: sortKeyOf(path) });
    if (keyed.length % PATHS_AT_ONCE === 0) await pause();
  }
  await pause();
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  await pause();
  for (const [index, { path, key }] of keyed.entries()) {
    const before = keyed[index - 1];
    if (before === undefined || !key.startsWith(before.key)) continue;
    if (before.path === path) invalid(`${quoted(path)} is in the bundle twice.`);
    if (key.length === before.key.length)
      invalid(`${quoted(before.path)} and ${quoted(path)} are the same file on some file systems.`);
    if (key[before.key.length] === "\0") invalid(`${quoted(before.path)} is both a file and a folder.`);
  }
}

/**
 * Selects the files to publish. Leaves out dot files and litter (such as `.DS_Store`), removes a top folder that contains all files from
 * their paths, and copies the only HTML page to `index.html` if there is no such file. Throws 400 `INVALID_BODY` if the paths, their number
 * or their sizes break a rule. `pause` is called after each piece of the work.
 */
export async function selectFiles<File extends OfferedFile>(
  offered: File[],
  pause: Pause = nextTurn,
): Promise<Selection<File>> {
  const requireFew = ({ length }: unknown[]) => {
    if (length > LIMITS.bundleEntries.value) invalid("The bundle has too many entries.");
  };
  requireFew(offered);
  const leftOut = new LeftOutList();
  const kept = keptOf(offered, leftOut);
  await pause();
  const { files, warnings } = withStartPage(kept);
  requireFew(files);
  if (files.length === 0) invalid("The bundle is empty: dot files and litter are left out.");
  if (files.reduce((sum, { size }) => sum + size, 0) > LIMITS.bundleUnpackedBytes.value)
    invalid("The bundle is too large when unpacked.");
  await checkPaths(
    files.map(({ path }) => path),
    pause,
  );
  if (leftOut.more > 0) warnings.push(`${leftOut.more} more paths were left out than are listed.`);
  return { files, leftOut: leftOut.entries(), warnings: [...warnings, ...pathWarnings(files)] };
}

import type { LeftOut } from "@easel/protocol/types";

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
export class LeftOutList {
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

import type { LeftOut } from "@easel/protocol/types";

/** The maximum number of entries in a response. */
const MAX_ENTRIES = 100;
/** The maximum length of a path in a response, in characters. */
const MAX_PATH_LENGTH = 200;

/** Files that file managers add to folders and zips. */
const LITTER = /(^|\/)(__MACOSX\/|(\.DS_Store|Thumbs\.db|desktop\.ini)$)/i;

const isDotFile = (name: string, depth: number) =>
  name.startsWith(".") && !(depth === 0 && name === ".well-known");

const isLitterFolder = (name: string) => name.toLowerCase() === "__macosx";

/** Whether a path contains a dot file or folder, such as `.env` or `.git/config`. `.well-known/` at the top does not count. */
export const hasDotFile = (path: string): boolean =>
  /(^|\/)\./.test(path.replace(/^\.well-known(?=\/|$)/, ""));

/** Returns the path to report: that of the file, or of the outermost folder that is left out as a whole. */
function reportedPath(path: string, isLeftOut: typeof isDotFile): string {
  const segments = path.split("/");
  const end = segments.findIndex(isLeftOut) + 1;
  return end > 0 && end < segments.length ? `${segments.slice(0, end).join("/")}/` : path;
}

/** Collects the files of a bundle that are not published, for the response to a deploy. */
export class LeftOutList {
  readonly #seen = new Map<string, LeftOut["reason"]>();

  /** Adds a path if it is litter. Returns whether it is. */
  addIfLitter(path: string): boolean {
    if (!LITTER.test(path)) return false;
    this.#add(reportedPath(path, isLitterFolder), "litter");
    return true;
  }

  /** Adds a path with a dot file or folder. */
  addDotFile(path: string): void {
    this.#add(reportedPath(path, isDotFile), "dot_file");
  }

  /** Returns the first 100 paths. */
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

import type { LeftOut } from "@easel/protocol/types";

/** The longest list of an answer, in entries, and the longest path in it, in characters. */
const LISTED = 100;
const SHOWN = 200;

/** Files that file managers add to folders and zips, in any case. */
const LITTER = /(^|\/)(__MACOSX\/|(\.DS_Store|Thumbs\.db|desktop\.ini)$)/i;

const isDotFile = (name: string, depth: number) =>
  name.startsWith(".") && !(depth === 0 && name === ".well-known");

const isLitterFolder = (name: string) => name.toLowerCase() === "__macosx";

/** Whether a path of a bundle leads to or through a dot file, such as `.env` or `.git/config`. `.well-known/` at the top is none. */
export const hasDotFile = (path: string): boolean =>
  /(^|\/)\./.test(path.replace(/^\.well-known(?=\/|$)/, ""));

/** The path of the file or folder that is left out: a folder stands for everything in it. */
function shown(path: string, isLeftOut: typeof isDotFile): string {
  const segments = path.split("/");
  const end = segments.findIndex(isLeftOut) + 1;
  return end > 0 && end < segments.length ? `${segments.slice(0, end).join("/")}/` : path;
}

/** Collects what a bundle holds and is not published, for the answer to a deploy. */
export class LeftOutList {
  readonly #seen = new Map<string, LeftOut["reason"]>();

  /** Whether a path is litter, which is then listed. */
  litter(path: string): boolean {
    if (!LITTER.test(path)) return false;
    this.#add(shown(path, isLitterFolder), "litter");
    return true;
  }

  /** Lists a path that leads through a dot file. */
  dotFile(path: string): void {
    this.#add(shown(path, isDotFile), "dot_file");
  }

  /** The first hundred of them. */
  entries(): LeftOut[] {
    return [...this.#seen].slice(0, LISTED).map(([path, reason]) => ({ path, reason }));
  }

  /** How many the list does not show. */
  get more(): number {
    return Math.max(0, this.#seen.size - LISTED);
  }

  #add(path: string, reason: LeftOut["reason"]): void {
    this.#seen.set(path.slice(0, SHOWN).toWellFormed(), reason);
  }
}

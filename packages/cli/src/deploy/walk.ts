import { readdir } from "node:fs/promises";
import path from "node:path";
import { hasDotFile } from "@easel/server/canvases/publishing/left-out";

/**
 * A file below a folder, or a path that is left out as a whole. `name` is its path in the canvas, normalized to NFC, with a slash at the end
 * if it is a folder. `leftOut` is the reason in words, and undefined for a file that may be published.
 */
export interface FolderEntry {
  name: string;
  /** The absolute path on the disk. */
  file: string;
  leftOut?: string;
}

/** The folder in which `easel` keeps what it knows about a folder. It is never published, and not mentioned. */
const OWN_FOLDER = ".easel";

/** Yields the files below a folder. Does not enter `node_modules`, symbolic links, and dot folders except `.well-known` at the top. */
export async function* walk(root: string, below = ""): AsyncGenerator<FolderEntry> {
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

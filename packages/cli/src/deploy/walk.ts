import { readdir } from "node:fs/promises";
import path from "node:path";
import { hasDotFile } from "@easel/server/canvases/publishing/select-files";

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

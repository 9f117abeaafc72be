import { existsSync } from "node:fs";
import path from "node:path";
import { hasDotFile } from "@easel/server/canvases/publishing/left-out";
import { projectFile } from "./project.ts";

/**
 * Returns the folder from which `easel deploy` would publish a file. Such a folder has been deployed or pulled before, so that it has a
 * project. Returns null if there is none, or if a deploy leaves the file out because of a dot in its path.
 */
export function publishingFolder(file: string): string | null {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if (existsSync(projectFile(folder)))
      return hasDotFile(path.relative(folder, file).replaceAll(path.sep, "/")) ? null : folder;
    if (folder === path.dirname(folder)) return null;
  }
}

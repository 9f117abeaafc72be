import path from "node:path";
import { hasDotFile } from "@easel/server/canvases/publishing/select-files";
import { hasProject } from "./project.ts";

/**
 * Returns the folder from which `easel deploy` would publish a file. Such a folder has been deployed or pulled before, so that it has a
 * project. Returns null if there is none, or if a deploy leaves the file out because of a dot in its path.
 */
export async function publishingFolder(file: string): Promise<string | null> {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if (await hasProject(folder))
      return hasDotFile(path.relative(folder, file).replaceAll(path.sep, "/")) ? null : folder;
    if (folder === path.dirname(folder)) return null;
  }
}

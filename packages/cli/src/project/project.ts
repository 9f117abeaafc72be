import path from "node:path";
import { hasDotFile } from "@easel/server/bundle-files";
import { z } from "zod/mini";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import { hasOwnFile, readOwnFile, writeOwnFile } from "./own-folder.ts";

const Stored = z.object({
  /** The base URL of the service that the folder was deployed to last. */
  url: z.string(),
  canvasId: z.string(),
  slug: z.string(),
  /** The version that this folder deployed or pulled last; null before the first. */
  version: z.nullable(z.string()),
  /** A staged deploy that has not been finished: its id, and the SHA-256 of its manifest. */
  staged: z.optional(z.object({ id: z.string(), manifest: z.string() })),
});

/** The canvas that a folder belongs to, as `.easel/project.json` in the folder stores it. The file is never deployed. */
export type Project = z.infer<typeof Stored>;

const FILE = "project.json";

/** Whether a folder has a project. */
const hasProject = (folder: string): Promise<boolean> => hasOwnFile(folder, FILE);

/** Reads the project of a folder. Returns undefined for a folder without one. Throws a `Failure` for a damaged file. */
export async function readProject(folder: string): Promise<Project | undefined> {
  const text = await readOwnFile(folder, FILE);
  if (text === undefined) return undefined;
  try {
    return Stored.parse(JSON.parse(text));
  } catch {
    return fail(`${clean(path.join(folder, ".easel", FILE))} is damaged.`, {
      hint: "Delete it; `easel deploy` writes it again.",
    });
  }
}

/** Writes the project of a folder. Replaces the file atomically. */
export const writeProject = (folder: string, project: Project): Promise<void> =>
  writeOwnFile(folder, FILE, `${JSON.stringify(project, null, 2)}\n`);

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

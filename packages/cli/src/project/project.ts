import { readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod/mini";
import { fail } from "../exit.ts";
import { makeOwnFolder } from "./own-folder.ts";

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

/** Returns the path of the file that stores the project of a folder. */
export const projectFile = (folder: string) => path.join(folder, ".easel", "project.json");

/** Reads the project of a folder. Returns undefined for a folder without one. Throws a `Failure` for a damaged file. */
export async function readProject(folder: string): Promise<Project | undefined> {
  const file = projectFile(folder);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return Stored.parse(JSON.parse(text));
  } catch {
    return fail(`${file} is damaged.`, { hint: "Delete it; `easel deploy` writes it again." });
  }
}

/** Writes the project of a folder. Replaces the file atomically. */
export async function writeProject(folder: string, project: Project): Promise<void> {
  const file = projectFile(folder);
  await makeOwnFolder(folder);
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, `${JSON.stringify(project, null, 2)}\n`);
  await rename(draft, file);
}

import type { Context } from "../context.ts";
import { type Project, readProject } from "./project.ts";
import { readRemembered } from "./remembered.ts";

/**
 * The canvas of a folder at one service. `isAgreed` is true if the person's own configuration names it, and false if only the folder does.
 * `version` is undefined if the folder does not know which version it has.
 */
export interface FolderCanvas extends Pick<Project, "canvasId" | "slug" | "staged"> {
  version: string | null | undefined;
  isAgreed: boolean;
}

/**
 * Returns the canvas of a folder at the service with this base URL. What the person's own configuration says wins; the project in the
 * folder is only believed about its version and its staged deploy. Returns undefined if neither names a canvas.
 */
export async function readFolderCanvas(
  folder: string,
  url: string,
  context: Pick<Context, "env">,
): Promise<FolderCanvas | undefined> {
  const stored = await readProject(folder);
  const project = stored?.url === url ? stored : undefined;
  const remembered = await readRemembered(folder, url, context);
  if (remembered === undefined) return project && { ...project, isAgreed: false };
  const state = project?.canvasId === remembered.canvasId ? project : { version: undefined };
  return { ...state, ...remembered, isAgreed: true };
}

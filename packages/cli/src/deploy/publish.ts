import type { Canvas, FinishedDeploy } from "@easel/protocol/types";
import type { Service } from "../api/service.ts";
import type { Context } from "../context.ts";
import { type Project, writeProject } from "../project/project.ts";
import { explainConflict } from "./conflict.ts";
import { type HashedFile, manifestDigest } from "./manifest.ts";
import { finish, resume, type StageOptions, stage } from "./staging.ts";
import { uploadFiles } from "./upload.ts";

/** The result of a deploy: the published version, the number of uploaded files, and the warnings of the service. */
export interface Published {
  deployed: FinishedDeploy;
  sent: number;
  warnings: string[];
}

/** Returns a function that writes the project of a folder. A failure only prints a warning, because the deploy does not need the file. */
const projectWriter =
  (folder: string, { terminal }: Context) =>
  (project: Project): Promise<void> =>
    writeProject(folder, project).catch((error: Error) =>
      terminal.warn(`The deploy cannot be remembered in the folder: ${error.message}`),
    );

/**
 * Publishes files as the new version of a canvas. Uploads only the files that the service lacks. `own` is the project of the folder if it
 * belongs to this canvas. If `own` has a staged deploy of the same files, that deploy is resumed. `beforeFinish` runs after the uploads.
 */
export async function publishFiles(
  folder: string,
  files: readonly HashedFile[],
  { canvas, own, options }: { canvas: Canvas; own: Project | undefined; options: StageOptions },
  service: Service,
  context: Context,
  beforeFinish: () => Promise<void>,
): Promise<Published> {
  const { id: canvasId, slug } = canvas;
  const saveProject = projectWriter(folder, context);
  const project: Project = { url: service.url, canvasId, slug, version: own?.version ?? null };
  const manifest = manifestDigest(files);
  try {
    const staged =
      (own && (await resume(own, manifest, service))) ?? (await stage(canvasId, files, options, service));
    await saveProject({ ...project, staged: { id: staged.id, manifest } });
    await uploadFiles({ canvasId, id: staged.id }, files, staged.missing, service, context.terminal);
    await beforeFinish();
    const deployed = await finish(canvasId, staged.id, service);
    await saveProject({ ...project, version: deployed.version });
    return { deployed, sent: staged.missing.length, warnings: [...staged.warnings, ...deployed.warnings] };
  } catch (error) {
    throw await explainConflict(error, canvasId, service);
  }
}

import type { Canvas, FinishedDeploy } from "@easel/protocol/types";
import type { Service } from "../api/service.ts";
import type { Context } from "../context.ts";
import { type Project, writeProject } from "../project/project.ts";
import { explainConflict } from "./conflict.ts";
import { type HashedFile, manifestDigest } from "./manifest.ts";
import { finish, resume, type StageOptions, stage } from "./staging.ts";
import { uploadFiles } from "./upload.ts";

/** The published version, and how many files had to be sent. */
export interface Published {
  deployed: FinishedDeploy;
  sent: number;
  warnings: string[];
}

/** Returns the function that stores the project of a folder. A failure is only a warning, because the deploy does not depend on it. */
const rememberIn =
  (folder: string, { terminal }: Context) =>
  (project: Project): Promise<void> =>
    writeProject(folder, project).catch((error: Error) =>
      terminal.warn(`The deploy cannot be remembered in the folder: ${error.message}`),
    );

/**
 * Publishes files as the new version of a canvas: stages them, uploads what the service misses, and finishes. `own` is the project of the
 * folder, if it is of this canvas: a staged deploy that an earlier run could not finish goes on where it stopped. `beforeFinish` runs when
 * all files are uploaded.
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
  const remember = rememberIn(folder, context);
  const project: Project = { url: service.url, canvasId, slug, version: own?.version ?? null };
  const manifest = manifestDigest(files);
  try {
    const staged =
      (own && (await resume(own, manifest, service))) ?? (await stage(canvasId, files, options, service));
    await remember({ ...project, staged: { id: staged.id, manifest } });
    await uploadFiles({ canvasId, id: staged.id }, files, staged.missing, service, context.terminal);
    await beforeFinish();
    const deployed = await finish(canvasId, staged.id, service);
    await remember({ ...project, version: deployed.version });
    return { deployed, sent: staged.missing.length, warnings: [...staged.warnings, ...deployed.warnings] };
  } catch (error) {
    throw await explainConflict(error, canvasId, service);
  }
}

import type { Canvas } from "@easel/protocol/types";
import { canvasById } from "../api/find-canvas.ts";
import { Refusal } from "../api/refusal.ts";
import { bodyOf, type Service } from "../api/service.ts";
import type { Context } from "../context.ts";
import { Failure } from "../exit.ts";
import { type Project, writeProject } from "../project/project.ts";
import { remember } from "../project/remembered.ts";
import { clean } from "../terminal/clean.ts";
import { formatTime } from "../terminal/format.ts";
import { type HashedFile, manifestDigest } from "./manifest.ts";
import { finish, resume, stage } from "./staging.ts";
import { uploadFiles } from "./upload.ts";

/** Converts a `VERSION_CONFLICT` to a `Failure` that says who deployed meanwhile, and when. Returns any other error unchanged. */
async function explainConflict(error: unknown, canvasId: string, { api }: Service): Promise<unknown> {
  if (!(error instanceof Refusal) || error.code !== "VERSION_CONFLICT") return error;
  const hint =
    "`easel pull --force` replaces your files by that version; `easel deploy --force` publishes yours over it.";
  try {
    const { versions } = await bodyOf(
      api.GET("/api/canvases/{id}/versions", { params: { path: { id: canvasId } } }),
    );
    const current = versions.find((each) => each.current);
    if (current === undefined)
      return new Failure("The canvas was taken offline meanwhile.", { exit: "conflict", hint });
    const { createdByName, createdAt, message } = current;
    const said = message === null ? "" : `: “${clean(message)}”`;
    const who = `${clean(createdByName)} deployed ${formatTime(createdAt)}`;
    return new Failure(`Another version was published meanwhile. ${who}${said}.`, { exit: "conflict", hint });
  } catch {
    return error;
  }
}

/** The result of a deploy: the canvas with its published version, the number of uploaded files, and the warnings of the service. */
export interface Published {
  deployed: Canvas;
  sent: number;
  warnings: string[];
  /** Whether a version was published. If not, it was only stored, or the published one has the same files or the same release. */
  published: boolean;
  /** The version that was stored without being published; null if there is none. */
  stored: string | null;
}

/**
 * Returns a function that writes the project of a folder, and remembers its canvas. A failure only prints a warning, because the deploy
 * does not need the files.
 */
const projectWriter =
  (folder: string, context: Context) =>
  async (project: Project): Promise<void> => {
    await remember(folder, project.url, project, context);
    await writeProject(folder, project).catch((error: Error) =>
      context.terminal.warn(`The deploy cannot be remembered in the folder: ${error.message}`),
    );
  };

/** A deploy to a canvas. */
export interface Plan {
  canvas: Canvas;
  /** The version that must be the published one, unless `force` is true. Null means that no version is published. */
  version: string | null;
  force: boolean;
  /** The unfinished staged deploy of the folder, if it has one for this canvas. */
  staged: Project["staged"];
  message: string | undefined;
  /** What the files are called, such as a commit. */
  release: string | undefined;
  /** Whether the version is published, and not only stored. */
  publish: boolean;
}

/**
 * Publishes files as the new version of a canvas. Uploads only the files that the service lacks. Resumes the staged deploy of an earlier
 * run with the same files, unless `force` is true, because that deploy expects a version. `beforeFinish` runs after the uploads.
 */
export async function publishFiles(
  folder: string,
  files: readonly HashedFile[],
  { canvas, version, force, staged: unfinished, message, release, publish }: Plan,
  service: Service,
  context: Context,
  beforeFinish: () => Promise<void>,
): Promise<Published> {
  const { id: canvasId, slug } = canvas;
  const saveProject = projectWriter(folder, context);
  const project: Project = { url: service.url, canvasId, slug, version };
  const manifest = manifestDigest(files, release);
  // Nothing is expected with `force`: neither a version nor that the release is another one.
  const options = {
    expectedVersion: force ? undefined : version,
    message,
    releaseId: force ? undefined : release,
  };
  try {
    const staged =
      (force ? undefined : await resume(canvasId, unfinished, manifest, service)) ??
      (await stage(canvasId, files, options, service));
    await saveProject({ ...project, staged: { id: staged.id, manifest } });
    await uploadFiles({ canvasId, id: staged.id }, files, staged.missing, service, context.terminal);
    await beforeFinish();
    const { storedVersion, ...deployed } = await finish(canvasId, staged.id, publish, service);
    const isStored = !publish && !deployed.unchanged;
    await saveProject({ ...project, version: isStored ? version : deployed.version });
    return {
      deployed,
      sent: staged.missing.length,
      warnings: [...staged.warnings, ...deployed.warnings],
      published: publish && !deployed.unchanged,
      stored: isStored ? storedVersion : null,
    };
  } catch (error) {
    throw await explainConflict(error, canvasId, service);
  }
}

/** Applies settings to a canvas whose published version has the files of the folder already. Publishes nothing. */
export async function keepVersion(
  folder: string,
  { id: canvasId, slug, version }: Canvas,
  service: Service,
  context: Context,
  apply: () => Promise<void>,
): Promise<Published> {
  await apply();
  await projectWriter(folder, context)({ url: service.url, canvasId, slug, version });
  return {
    deployed: await canvasById(canvasId, service),
    sent: 0,
    warnings: [],
    published: false,
    stored: null,
  };
}

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Canvas } from "@easel/protocol/types";
import { isAllowedSlug } from "@easel/server/slugs";
import { type CanvasOptions, findCanvas } from "../api/find-canvas.ts";
import type { Service } from "../api/service.ts";
import { pickVersion, readVersions } from "../canvas/versions.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { type Project, readProject, writeProject } from "../project/project.ts";
import { remember } from "../project/remembered.ts";
import { clean } from "../terminal/clean.ts";
import { count } from "../terminal/format.ts";
import { downloadVersion, openArchive } from "./archive.ts";
import { planFiles, writeFile } from "./unpack.ts";

/** The flags of `easel pull`. */
export interface PullOptions extends CanvasOptions {
  /** The id of a version, or the start or the end of an id. By default the published version. */
  at?: string;
  force?: boolean;
}

/**
 * Returns the folder to write to: `given`, or by default the working directory. If `--canvas` names a canvas that the working directory
 * does not belong to, the default is a subfolder with the slug of that canvas. Throws a `Failure` for a folder of another canvas, unless
 * `force` is true.
 */
async function folderFor(
  given: string | undefined,
  { id, slug }: Canvas,
  { canvas, force = false }: PullOptions,
  service: Service,
  cwd: string,
): Promise<string> {
  const isOf = (project: Project | undefined) => project?.url === service.url && project.canvasId === id;
  const isHere = given !== undefined || canvas === undefined || isOf(await readProject(cwd));
  if (!isHere && !isAllowedSlug(slug))
    fail(`\`${clean(slug)}\` is no name for a folder.`, { hint: "Give a folder." });
  const folder = isHere ? path.resolve(cwd, given ?? ".") : path.join(cwd, slug);
  const project = await readProject(folder);
  if (project !== undefined && !isOf(project) && !force)
    fail(`${clean(folder)} is the folder of the canvas \`${clean(project.slug)}\`.`, {
      hint: "Give another folder, or --force.",
    });
  return folder;
}

/** Returns the id of the version that `at` names, or by default of the one that the canvas published last. */
async function versionOf(
  { id, slug, version }: Canvas,
  { at }: PullOptions,
  service: Service,
): Promise<string> {
  if (at === undefined && version !== null) return version;
  const versions = await readVersions(id, service);
  if (at !== undefined) return pickVersion(versions, at).id;
  const last = versions.find(({ current }) => current) ?? fail(`${clean(slug)} has no version yet.`);
  return last.id;
}

/**
 * Writes the files of a version of a canvas to a folder, and stores the version in the project of the folder. Overwrites files with other
 * content only with `--force`. Keeps all other files of the folder. Prints the path of the folder.
 */
export async function pull(given: string | undefined, options: PullOptions, context: Context): Promise<void> {
  const { terminal, signal } = context;
  const { cwd } = context;
  const { service, canvas } = await findCanvas(options, { ...context, cwd: path.resolve(cwd, given ?? ".") });
  const { id, slug, url } = canvas;
  const folder = await folderFor(given, canvas, options, service, cwd);
  const version = await versionOf(canvas, options, service);

  const temporary = await mkdtemp(path.join(os.tmpdir(), "easel-pull-"));
  try {
    const zip = path.join(temporary, "bundle.zip");
    await downloadVersion(id, version, zip, service, signal);
    const archive = await openArchive(zip);
    try {
      const { changed, unchanged } = await planFiles(folder, archive.files, options.force === true);
      await mkdir(folder, { recursive: true });
      const progress = await terminal.progress(`Writing ${count(changed.length, "file")}`, changed.length);
      try {
        for (const file of changed) {
          signal.throwIfAborted();
          await writeFile(folder, file, signal);
          progress.advance(1, clean(file.path));
        }
      } catch (error) {
        progress.stop();
        throw error;
      }
      await writeProject(folder, { url: service.url, canvasId: id, slug, version });
      await remember(folder, service.url, { canvasId: id, slug }, context);
      progress.done(`${count(changed.length, "file")} written, ${unchanged} unchanged`);
      const written = changed.map((file) => file.path);
      terminal.result({ id, slug, url, version, folder, written, unchanged }, () => `${clean(folder)}\n`);
    } finally {
      archive.close();
    }
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

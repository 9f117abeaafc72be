import { mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Canvas } from "@easel/protocol/types";
import { isAllowedSlug } from "@easel/server/canvases/publishing/slug";
import { type CanvasOptions, findCanvas } from "../api/find-canvas.ts";
import type { Service } from "../api/service.ts";
import { pickVersion, readVersions } from "../canvas/versions.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { type Project, readProject, writeProject } from "../project/project.ts";
import { clean } from "../terminal/clean.ts";
import { count } from "../terminal/count.ts";
import { openArchive } from "./archive.ts";
import { downloadVersion } from "./download.ts";
import { planFiles, writeFile } from "./unpack.ts";

/** The flags of `easel pull`. */
export interface PullOptions extends CanvasOptions {
  /** The id of a version, or a part of it. By default the published one. */
  at?: string;
  force?: boolean;
}

/**
 * Returns the folder to write to: the given one; otherwise the working directory, unless `--canvas` names another canvas than its own: then a
 * folder with the slug of that canvas. Throws a `Failure` for a folder of another canvas, unless `force` is true.
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

/**
 * Writes the files of a version of a canvas to a folder, and remembers there which version it is. Overwrites other content only with
 * `--force`, and leaves other files of the folder alone. Prints the path of the folder.
 */
export async function pull(given: string | undefined, options: PullOptions, context: Context): Promise<void> {
  const { terminal, signal } = context;
  const { cwd } = context;
  const { service, canvas } = await findCanvas(options, { ...context, cwd: path.resolve(cwd, given ?? ".") });
  const { id, slug, url } = canvas;
  const folder = await folderFor(given, canvas, options, service, cwd);
  const version =
    options.at === undefined ? canvas.version : pickVersion(await readVersions(id, service), options.at).id;
  if (version === null) fail(`${clean(slug)} has no version yet.`);

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
      progress.done(`${count(changed.length, "file")} written, ${unchanged} unchanged`);
      const written = changed.map((file) => file.path);
      terminal.result({ id, slug, url, version, folder, written, unchanged }, () => `${folder}\n`);
    } finally {
      archive.close();
    }
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

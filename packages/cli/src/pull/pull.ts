import { mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type CanvasOptions, findCanvas } from "../api/find-canvas.ts";
import { pickVersion, readVersions } from "../canvas/versions.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { writeProject } from "../project/project.ts";
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
 * Writes the files of a version of a canvas to a folder, and remembers there which version it is. Overwrites other content only with
 * `--force`, and leaves other files of the folder alone. Prints the path of the folder.
 */
export async function pull(given: string, options: PullOptions, context: Context): Promise<void> {
  const { terminal, signal } = context;
  const folder = path.resolve(context.cwd, given);
  const { service, canvas } = await findCanvas(options, { ...context, cwd: folder });
  const { id, slug, url } = canvas;
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

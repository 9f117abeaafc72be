import { chmod, mkdir, opendir, stat } from "node:fs/promises";
import path from "node:path";
import { SetupError } from "../config/setup-error.ts";

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/**
 * Creates a directory, and those above it, for the service's own user alone; one that is there stays as it is. Node's recursive
 * `mkdir` never ends below `/proc`.
 *
 * @throws SetupFault when it cannot be created.
 */
export async function makeDirectory(directory: string): Promise<void> {
  const make = () => mkdir(directory, { mode: 0o700 });
  await make()
    .catch(async (error) => {
      const above = path.dirname(path.resolve(directory));
      if (codeOf(error) !== "ENOENT" || above === path.resolve(directory)) throw error;
      await makeDirectory(above);
      await make();
    })
    .catch(async (error) => {
      if (error instanceof SetupError) throw error;
      const there = await stat(directory).catch(() => null);
      if (there?.isDirectory() === true) return;
      const why = there === null ? codeOf(error) : "a file is there";
      throw new SetupError(
        `The directory ${directory} cannot be created (${why}); see SERVICE_DATA_DIR and SERVICE_BLOBS_URL.`,
      );
    });
}

/** Takes the rights of other users to a file or directory away, where it is there and belongs to the service's user. */
export async function makePrivate(entry: string, mode: 0o600 | 0o700): Promise<void> {
  await chmod(entry, mode).catch((error) => {
    if (!["ENOENT", "EPERM", "EROFS"].includes(codeOf(error) ?? "")) throw error;
  });
}

/** Creates a directory that the settings name. One that is there becomes private if it holds nothing but files with names of the service's `own`. */
export async function makeOwnDirectory(directory: string, own: RegExp): Promise<void> {
  await makeDirectory(directory);
  for await (const { name } of await opendir(directory)) if (!own.test(name)) return;
  await makePrivate(directory, 0o700);
}

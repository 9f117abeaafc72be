import { chmod, link, mkdir, open, opendir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { SetupError } from "../config/setting-types.ts";

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/**
 * Creates a directory and its missing parents with access for the user of the process only. Does not change an existing directory. Throws a
 * `SetupError` with `advice` if the directory cannot be created. Node's recursive `mkdir` is not used, because it does not terminate below `/proc`.
 */
export async function makeDirectory(
  directory: string,
  advice = "see SERVICE_DATA_DIR and SERVICE_BLOBS_URL",
): Promise<void> {
  const make = () => mkdir(directory, { mode: 0o700 });
  await make()
    .catch(async (error) => {
      const above = path.dirname(path.resolve(directory));
      if (codeOf(error) !== "ENOENT" || above === path.resolve(directory)) throw error;
      await makeDirectory(above, advice);
      await make();
    })
    .catch(async (error) => {
      if (error instanceof SetupError) throw error;
      const there = await stat(directory).catch(() => null);
      if (there?.isDirectory() === true) return;
      const why = there === null ? codeOf(error) : "a file is there";
      throw new SetupError(`The directory ${directory} cannot be created (${why}); ${advice}.`);
    });
}

/**
 * Sets the mode of a file or directory so that other users have no access. Does nothing if the entry is missing, on a read-only file
 * system, or owned by another user.
 */
export async function makePrivate(entry: string, mode: 0o600 | 0o700): Promise<void> {
  await chmod(entry, mode).catch((error) => {
    if (!["ENOENT", "EPERM", "EROFS"].includes(codeOf(error) ?? "")) throw error;
  });
}

/**
 * Creates a directory if it is missing. Makes the directory private if all names in it match `serviceNames`, so that a directory that also
 * contains other files keeps its mode.
 */
export async function makePrivateDirectory(directory: string, serviceNames: RegExp): Promise<void> {
  await makeDirectory(directory);
  for await (const { name } of await opendir(directory)) if (!serviceNames.test(name)) return;
  await makePrivate(directory, 0o700);
}

/**
 * Gives a file a second name by a hard link that survives a crash. Does nothing if a file with that name exists. A reader of the new name
 * always gets the whole content.
 */
export async function linkUnlessThere(file: string, name: string): Promise<void> {
  await link(file, name).catch(async (error) => {
    if (error.code === "EEXIST") return;
    // Some network file systems have no hard links, so the file is renamed instead. There, one of two concurrent calls can replace the file
    // of the other.
    if ((await stat(name, { throwIfNoEntry: false })) === undefined) await rename(file, name);
  });
  await syncDirectory(path.dirname(name));
}

/** Syncs a directory, so that the names in it survive a crash. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  await handle.sync().finally(() => handle.close());
}

/** Writes a new file durably, which only the user of the process can read. */
export async function writePrivate(file: string, text: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Whether a file was last written before a time in epoch milliseconds. False for a missing file. */
const isOlder = async (file: string, time: number): Promise<boolean> =>
  ((await stat(file, { throwIfNoEntry: false }))?.mtimeMs ?? time) < time;

/** Removes the files of a directory that were last written before a time in epoch milliseconds. */
export async function removeOlder(directory: string, time: number): Promise<void> {
  for await (const { name } of await opendir(directory)) {
    const file = path.join(directory, name);
    if (await isOlder(file, time)) await rm(file, { force: true });
  }
}

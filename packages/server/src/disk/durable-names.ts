import { link, open, rename, stat } from "node:fs/promises";
import path from "node:path";

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

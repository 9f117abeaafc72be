import { link, open, rename, stat } from "node:fs/promises";
import path from "node:path";

/** Gives a file a second name durably, unless a file of that name exists. It appears there with its whole content. */
export async function linkUnlessThere(file: string, name: string): Promise<void> {
  await link(file, name).catch(async (error) => {
    if (error.code === "EEXIST") return;
    // Some network file systems have no links: there, only calls at the same moment could overwrite each other's file.
    if ((await stat(name, { throwIfNoEntry: false })) === undefined) await rename(file, name);
  });
  await syncDirectory(path.dirname(name));
}

/** Makes the names in a directory durable. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  await handle.sync().finally(() => handle.close());
}

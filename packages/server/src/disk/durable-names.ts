import { link, open, rename, stat } from "node:fs/promises";
import path from "node:path";

/** Gives a file a second name durably, unless a file of that name exists. Readers of that name always see the whole content. */
export async function linkUnlessThere(file: string, name: string): Promise<void> {
  await link(file, name).catch(async (error) => {
    if (error.code === "EEXIST") return;
    // Some network file systems have no links. There, only concurrent calls can replace each other's file.
    if ((await stat(name, { throwIfNoEntry: false })) === undefined) await rename(file, name);
  });
  await syncDirectory(path.dirname(name));
}

/** Syncs a directory, so that the names in it are durable. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  await handle.sync().finally(() => handle.close());
}

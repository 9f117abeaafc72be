import { link, rename, stat } from "node:fs/promises";

/** Gives a file a second name, unless a file of that name is there; it appears there with its whole content. */
export async function linkUnlessThere(file: string, name: string): Promise<void> {
  await link(file, name).catch(async (error) => {
    if (error.code === "EEXIST") return;
    // Some network file systems have no links: there, only calls at the same moment could overwrite each other's file.
    if ((await stat(name, { throwIfNoEntry: false })) === undefined) await rename(file, name);
  });
}

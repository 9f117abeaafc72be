import { opendir, rm, stat } from "node:fs/promises";
import path from "node:path";

/** Whether a file was last written before a time in epoch milliseconds. False for a missing file. */
export const isOlder = async (file: string, time: number): Promise<boolean> =>
  ((await stat(file, { throwIfNoEntry: false }))?.mtimeMs ?? time) < time;

/** Removes the files of a directory that were last written before a time in epoch milliseconds. */
export async function removeOlder(directory: string, time: number): Promise<void> {
  for await (const { name } of await opendir(directory)) {
    const file = path.join(directory, name);
    if (await isOlder(file, time)) await rm(file, { force: true });
  }
}

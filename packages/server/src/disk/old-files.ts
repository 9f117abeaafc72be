import { opendir, rm, stat } from "node:fs/promises";
import path from "node:path";

/** Whether a file was last written before `time` (epoch milliseconds); one that is not there is not. */
export const isOlder = async (file: string, time: number): Promise<boolean> =>
  ((await stat(file, { throwIfNoEntry: false }))?.mtimeMs ?? time) < time;

/** Removes files last written before `time`: what a killed process left half-written, which nobody was promised. */
export async function removeOlder(directory: string, time: number): Promise<void> {
  for await (const { name } of await opendir(directory)) {
    const file = path.join(directory, name);
    if (await isOlder(file, time)) await rm(file, { force: true });
  }
}

import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, opendir, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { linkUnlessThere } from "../../disk/private-files.ts";
import type { StoredBlob } from "./blobs.ts";

/**
 * Returns the time at which the file of a blob was last written by `put` (epoch milliseconds), and the generation of the file, which
 * changes with each `put`. Returns null if the file is missing.
 */
export async function ageOf(file: string): Promise<{ putAt: number; generation: string } | null> {
  const found = await stat(file, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return null;
  return { putAt: Number(found.mtimeMs), generation: `${found.ino}.${found.mtimeNs}` };
}

/** Opens a file. Returns null if it is missing. */
export async function openIfThere(file: string): Promise<FileHandle | null> {
  return await open(file, "r").catch((error) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
}

/**
 * Removes blobs of a local store, but no blob that has been put again since it was listed. A file system cannot compare and remove in one
 * step. So a blob's file is first moved to another directory, where no `put` can replace it, and moved back if it turns out to be newer;
 * meanwhile `open` finds the file there.
 */
export class Removals {
  readonly #directory: string;
  readonly #placeOf: (key: string) => string;

  /** `directory` is where files are moved before their removal. `placeOf` returns the path of a blob's file. */
  constructor(directory: string, placeOf: (key: string) => string) {
    this.#directory = directory;
    this.#placeOf = placeOf;
  }

  async remove({ key, generation }: StoredBlob): Promise<void> {
    const place = this.#placeOf(key);
    if ((await ageOf(place))?.generation !== generation) return;
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const aside = path.join(this.#directory, `${key}.${randomUUID()}`);
    await rename(place, aside).catch(ignoreMissing);
    const found = await ageOf(aside);
    if (found !== null && found.generation !== generation) await linkUnlessThere(aside, place);
    await rm(aside, { force: true });
  }

  /** Opens a blob whose file has been moved for its removal but not removed yet. Returns null if there is no such file. */
  async open(key: string): Promise<FileHandle | null> {
    const names = await readdir(this.#directory).catch(ignoreMissing);
    const name = names?.find((each) => each.startsWith(key));
    return name === undefined ? null : await openIfThere(path.join(this.#directory, name));
  }

  /**
   * Moves files back that a killed process had moved for their removal but not removed. Leaves files alone that were moved at `before`
   * (epoch milliseconds) or later, because a running process may be about to remove them.
   */
  async restore(before: number): Promise<void> {
    const names = await opendir(this.#directory).catch(ignoreMissing);
    for await (const { name } of names ?? []) {
      const aside = path.join(this.#directory, name);
      // Renaming a file sets its change time (ctime) and does not alter the time of its last write (mtime).
      const movedAt = (await stat(aside, { throwIfNoEntry: false }))?.ctimeMs ?? before;
      if (movedAt >= before) continue;
      const [key = ""] = name.split(".");
      await linkUnlessThere(aside, this.#placeOf(key)).catch(ignoreMissing);
      await rm(aside, { force: true });
    }
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, opendir, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { linkUnlessThere } from "../../disk/private-files.ts";

/** Opens without waiting for the writer of a pipe, which has no bytes then. Windows has no such flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Opens a file. Returns null if it is missing. */
export async function openIfThere(file: string): Promise<FileHandle | null> {
  return await open(file, FLAGS).catch((error) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
}

/**
 * Removes blobs of a local store that are not in use. A file system cannot look into the database and remove in one step. So the files are
 * first moved to another directory, where no `put` can replace them, then looked up, and moved back if they turn out to be in use; meanwhile
 * `open` finds them there. Only files in that directory are ever deleted, and only if they were looked up after they had been moved.
 */
export class Removals {
  readonly #directory: string;
  readonly #pathOf: (key: string) => string;

  /** `directory` is where files are moved before their removal. `pathOf` returns the path of a blob's file. */
  constructor(directory: string, pathOf: (key: string) => string) {
    this.#directory = directory;
    this.#pathOf = pathOf;
  }

  /** Removes blobs as `Blobs.remove` does. */
  async remove(keys: string[], inUse: (keys: string[]) => Promise<ReadonlySet<string>>): Promise<number> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const moved = new Map<string, string>();
    let used: ReadonlySet<string> | undefined;
    try {
      for (const key of keys) {
        const aside = path.join(this.#directory, `${key}.${randomUUID()}`);
        const found = await rename(this.#pathOf(key), aside).then(() => true, ignoreMissing);
        if (found) moved.set(key, aside);
      }
      if (moved.size > 0) used = await inUse([...moved.keys()]);
    } finally {
      for (const [key, aside] of moved) {
        if (used?.has(key) ?? true) await linkUnlessThere(aside, this.#pathOf(key)).catch(ignoreMissing);
        await rm(aside, { force: true });
      }
    }
    return moved.size - (used?.size ?? 0);
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
      await linkUnlessThere(aside, this.#pathOf(key)).catch(ignoreMissing);
      await rm(aside, { force: true });
    }
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

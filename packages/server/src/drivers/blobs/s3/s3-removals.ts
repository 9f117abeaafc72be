import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import type { ByteRange, S3Objects } from "./s3-objects.ts";

/** The prefix of the names that blobs have while they are being removed: `trash/{key}.{id}`. */
const TRASH = "trash/";
/** The number of blobs that are moved at once. */
const AT_ONCE = 16;
/** How often `open` looks for a blob that is moved aside and back meanwhile. */
const ROUNDS = 3;

/** Returns the name of the object with a blob. */
export const nameOf = (key: string): string => `blobs/${key}`;

/** Calls `work` for each entry, `AT_ONCE` at a time. Throws the first error once all calls have ended. */
async function each<Entry>(entries: Iterable<Entry>, work: (entry: Entry) => Promise<void>): Promise<void> {
  const failed: unknown[] = [];
  const shared = entries[Symbol.iterator]();
  const worker = async () => {
    for (let next = shared.next(); !next.done; next = shared.next())
      await work(next.value).catch((error) => failed.push(error));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (failed.length > 0) throw failed[0];
}

/**
 * Removes blobs of a bucket that are not in use. A blob is moved aside by a copy with a name of its own and one removal (`removeAsOf`), which
 * is signed as of the time before the copy. So it takes effect before `restore` could end the copy, or not at all, however long a process
 * is suspended between the two (decisions/079). Only copies are ever removed otherwise, and only if their keys were looked up after that.
 */
export class S3Removals {
  readonly #objects: S3Objects;
  readonly #clock: () => number;

  constructor(objects: S3Objects, clock: () => number = Date.now) {
    this.#objects = objects;
    this.#clock = clock;
  }

  /** Removes blobs as `Blobs.remove` does. */
  async remove(keys: string[], inUse: (keys: string[]) => Promise<ReadonlySet<string>>): Promise<number> {
    const moved = new Map<string, string>();
    let used: ReadonlySet<string> | undefined;
    try {
      await each(new Set(keys), async (key) => {
        const aside = await this.#moveAside(key);
        if (aside !== null) moved.set(key, aside);
      });
      if (moved.size > 0) used = await inUse([...moved.keys()]);
    } finally {
      await each(moved, async ([key, aside]) => {
        if (used?.has(key) ?? true) await this.#objects.copy(aside, nameOf(key));
        await this.#objects.remove(aside);
      });
    }
    return moved.size - [...moved.keys()].filter((key) => used?.has(key)).length;
  }

  /**
   * Moves a blob to a name of its own. Returns the name, or null for a missing blob. If it is unknown whether the blob has been removed, throws
   * and leaves the copy, which `open` finds.
   */
  async #moveAside(key: string): Promise<string | null> {
    const aside = `${TRASH}${key}.${randomUUID()}`;
    const begun = this.#clock();
    if (!(await this.#objects.copy(nameOf(key), aside))) return null;
    await this.#objects.removeAsOf(nameOf(key), begun);
    return aside;
  }

  /** Opens a blob, also while it is moved aside. Returns null if it is missing. */
  async open(key: string, range?: ByteRange): Promise<Readable | null> {
    for (let round = 0; round < ROUNDS; round++) {
      const found = await this.#objects.get(nameOf(key), range);
      if (found !== null) return found;
      let isAside = false;
      for await (const { name } of this.#objects.list(`${TRASH}${key}.`)) {
        isAside = true;
        const copy = await this.#objects.get(name, range);
        if (copy !== null) return copy;
      }
      // It may have been moved back before the list.
      if (!isAside) break;
    }
    return await this.#objects.get(nameOf(key), range);
  }

  /**
   * Moves blobs back whose removal was interrupted: those that were moved aside before a time in epoch milliseconds, which must be more than
   * `AS_OF_MS` ago.
   */
  async restore(before: number): Promise<void> {
    for await (const { name, modified } of this.#objects.list(TRASH)) {
      if (modified >= before) continue;
      const [key = ""] = name.slice(TRASH.length).split(".");
      await this.#objects.copy(name, nameOf(key));
      await this.#objects.remove(name);
    }
  }
}

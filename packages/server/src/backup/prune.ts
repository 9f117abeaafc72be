import type { BackupFolder } from "./backup-folder.ts";
import { readBlobList } from "./backup-folder.ts";
import { readManifest } from "./manifest.ts";
import type { Print } from "./words.ts";

/** The number of blobs that are removed at once. */
const AT_ONCE = 1_000;

/**
 * Removes all backups but the newest `keep`, and the blobs to which no other one refers, such as those of a backup that was killed. A backup whose manifest or list of blobs is damaged
 * does not count and is not removed; while there is one, no blob is removed either.
 */
export async function prune(folder: BackupFolder, keep: number, print: Print): Promise<void> {
  const used = new Set<string>();
  let good = 0;
  let damaged = 0;
  for (const name of await folder.names()) {
    try {
      await readManifest(folder.pathOf(name));
      const blobs = await readBlobList(folder.pathOf(name));
      if (good === keep) {
        await folder.remove(name);
        print(`Removed the backup ${name}.`);
        continue;
      }
      good++;
      for (const { key } of blobs) used.add(key);
    } catch (error) {
      damaged++;
      print(
        `Warning: ${(error as Error).message} It is kept, and so are all blobs: look at it, and remove it yourself.`,
      );
    }
  }
  if (damaged > 0) return;
  const removed = await removeUnused(folder, used);
  if (removed > 0) print(`Removed ${removed} blobs to which no backup refers.`);
}

async function removeUnused({ blobs }: BackupFolder, used: ReadonlySet<string>): Promise<number> {
  let removed = 0;
  let unused: string[] = [];
  const remove = async () => {
    removed += await blobs.remove(unused, async (keys) => new Set(keys.filter((key) => used.has(key))));
    unused = [];
  };
  for await (const key of blobs.list(Number.MAX_SAFE_INTEGER))
    if (!used.has(key) && unused.push(key) === AT_ONCE) await remove();
  if (unused.length > 0) await remove();
  return removed;
}

import { readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { SetupError } from "../../config/setting-types.ts";
import { freeBytes } from "../../disk/disk-space.ts";
import { syncDirectory } from "../../disk/private-files.ts";
import { copySqlite } from "./sqlite-copy.ts";

/** The number of copies that are kept. */
const KEPT = 2;

/** Matches the name of a copy: the number of the first migration that it is from before. */
const COPY = /^before-(\d{4})\.db$/;

/**
 * Copies an SQLite database into a directory before migrations are applied to it, so that an upgrade can be undone, and removes all copies but
 * the newest two. `first` is the name of the first of these migrations. Returns the path of the copy. No process may write to the database.
 *
 * @throws SetupError if there is no space for the copy.
 */
export async function copyBeforeMigrations(file: string, directory: string, first: string): Promise<string> {
  const copy = path.join(directory, `before-${first.slice(0, 4)}.db`);
  await requireSpace(file, directory);
  // A copy of this name is from a start that was interrupted before its migrations, or from before somebody went back.
  await rm(`${copy}.new`, { force: true });
  await copySqlite(file, `${copy}.new`);
  await rename(`${copy}.new`, copy);
  await syncDirectory(directory);
  const copies = (await readdir(directory)).filter((name) => COPY.test(name)).sort();
  for (const name of copies.slice(0, -KEPT)) await rm(path.join(directory, name));
  return copy;
}

async function requireSpace(file: string, directory: string): Promise<void> {
  const sizes = await Promise.all([file, `${file}-wal`].map((each) => stat(each, { throwIfNoEntry: false })));
  const needed = sizes.reduce((sum, found) => sum + (found?.size ?? 0), 0);
  const free = await freeBytes(directory);
  if (free === null || free > needed) return;
  const mb = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
  throw new SetupError(
    `Before this release migrates the database, it copies it, which needs ${mb(needed)}, and ${mb(free)} are free in ${directory}. Free space there; or ` +
      "make a backup elsewhere, and set SERVICE_COPY_BEFORE_MIGRATIONS=off for this start.\nThe service has not started, and nothing has been migrated.",
  );
}

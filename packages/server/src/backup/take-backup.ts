import { rm } from "node:fs/promises";
import path from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { inParallel } from "../async/task-pool.ts";
import { blobColumnsOf } from "../canvases/canvas-data.ts";
import { type Config, readConfig } from "../config/config.ts";
import { SetupError } from "../config/setting-types.ts";
import { Sealer } from "../crypto/secrets.ts";
import { freeBytes, isFull } from "../disk/disk-space.ts";
import { writePrivate } from "../disk/private-files.ts";
import { type BlobSize, type Blobs, OtherContent } from "../drivers/blobs/blobs.ts";
import type { CopiedState, DatabaseBackups } from "../drivers/database-backups.ts";
import { databaseBackups, knownMigrations, openBlobs, openDb } from "../drivers/index.ts";
import { Unavailable } from "../drivers/unavailable.ts";
import { recordBackup } from "../instance/last-backup.ts";
import { storedData } from "../stored-data.ts";
import { BackupFolder, writeBlobList } from "./backup-folder.ts";
import { requireRestored } from "./interrupted-restore.ts";
import { FILES, type Manifest, manifestText, measure, readManifest } from "./manifest.ts";
import { prune } from "./prune.ts";
import { describeBackup, megabytes, type Print } from "./words.ts";

/** How often the database is copied at most, because a blob that it refers to was removed before it was copied. */
const TRIES = 5;

/** The number of blobs that are copied at once. */
const AT_ONCE = 8;

export interface BackupOptions {
  /** The number of backups to keep; the older ones are removed. All are kept by default. */
  keep?: number | undefined;
  print?: Print;
  clock?: () => number;
  /** Called after the database has been copied, and before its blobs are. */
  onCopied?: () => Promise<void>;
}

/**
 * Makes a backup of the instance that the settings name, in a folder of backups, while the service runs or while it is stopped. What was
 * acknowledged before the call is in it. Returns its name. @throws SetupError if it cannot be made. Then the other backups are as before.
 */
export async function takeBackup(
  environment: Record<string, string | undefined>,
  directory: string,
  {
    keep = Number.POSITIVE_INFINITY,
    print = () => {},
    clock = Date.now,
    onCopied = async () => {},
  }: BackupOptions = {},
): Promise<string> {
  const config = readConfig(environment);
  await requireRestored(config);
  const at = new Date(clock());
  const database = await databaseBackups(config, environment);
  const size = await database.size();
  try {
    return await BackupFolder.write(directory, async (folder) => {
      await requireSpace(directory, size);
      const blobs = await openBlobs(config, null);
      let made: Manifest | undefined;
      const name = await folder
        .add(at, async (to) => {
          const source = { config, database, blobs, onCopied };
          made = await fill(to, at, source, folder, print);
        })
        .finally(() => blobs.close());
      print(`Made the backup ${name}: ${describeBackup(made as Manifest)}.`);
      await prune(folder, keep, print);
      await record(config, clock(), print);
      return name;
    });
  } catch (error) {
    if (isFull(error))
      throw new SetupError(
        `The disk of ${directory} is full: no backup was made, and the others are as before. Free space there, or keep fewer with --keep.`,
      );
    if (error instanceof Unavailable)
      throw new SetupError(
        `No backup was made, and the others are as before: ${((error.cause as Error | undefined) ?? error).message}.`,
      );
    throw error;
  }
}

interface Source {
  config: Config;
  database: DatabaseBackups;
  blobs: Blobs;
  onCopied: () => Promise<void>;
}

/** Writes the files of a backup, the manifest last. */
async function fill(
  to: string,
  at: Date,
  { config, database, blobs, onCopied }: Source,
  folder: BackupFolder,
  print: Print,
): Promise<Manifest> {
  const columns = blobColumnsOf(storedData());
  const file = path.join(to, FILES[database.engine]);
  let lost: string[] = [];
  for (let tries = 1; ; tries++) {
    print(
      tries === 1
        ? "Copying the database …"
        : "A blob is missing or damaged. Copying the database again, in case it was removed meanwhile …",
    );
    const state = await database.copy(file, columns);
    await requireKnown(state, database.engine);
    await requireSameInstance(state, folder);
    await onCopied();
    const { copied, missing } = await copyBlobs(state.blobs, blobs, folder, print);
    // What was missing or damaged before and still is does not come back: the instance itself has lost it.
    if (missing.every((key) => lost.includes(key))) {
      for (const key of missing.slice(0, 10))
        print(
          `Warning: the blob ${key} is missing or damaged in the instance itself. The backup has everything else.`,
        );
      const known = await finish(to, file, copied);
      const contents: Manifest = {
        format: 1,
        takenAt: at.toISOString(),
        instance: state.instance,
        version: manifest.version,
        engine: database.engine,
        migrations: state.migrations,
        tables: state.tables,
        ...known,
        missing,
        encryptionKeys: new Sealer(config.encryptionKeys).keyIds,
      };
      await writePrivate(path.join(to, FILES.manifest), manifestText(contents));
      return contents;
    }
    if (tries === TRIES)
      throw new SetupError("Blobs were removed again and again while they were copied: try again later.");
    lost = missing;
    await rm(file);
  }
}

/** @throws SetupError if the database has no tables, or a migration of another release, whose references to blobs are not known. */
async function requireKnown({ migrations }: CopiedState, engine: DatabaseBackups["engine"]): Promise<void> {
  if (migrations.length === 0)
    throw new SetupError(
      "The database has no tables of the service: check SERVICE_DATABASE_URL, which names the one to back up.",
    );
  const known = await knownMigrations(engine);
  const other = migrations.find((name) => !known.includes(name));
  if (other !== undefined)
    throw new SetupError(
      `The database has migration ${other}, which this release (${manifest.version}) does not know: make the backup with the release that serves it.`,
    );
}

/** @throws SetupError if the folder has backups of another instance, which `--keep` would count. */
async function requireSameInstance({ instance }: CopiedState, folder: BackupFolder): Promise<void> {
  for (const name of await folder.names()) {
    const other = await readManifest(folder.pathOf(name)).catch(() => null);
    if (other === null) continue;
    if (other.instance === instance) return;
    throw new SetupError(
      `${folder.pathOf(name)} is a backup of another instance (${other.instance}, and this one is ${instance}): choose another folder.`,
    );
  }
}

/**
 * Copies the blobs with these keys that the folder does not have yet. Returns those that it has now, and the keys of those that are missing, or whose
 * bytes are damaged.
 */
async function copyBlobs(
  keys: readonly string[],
  from: Blobs,
  folder: BackupFolder,
  print: Print,
): Promise<{ copied: BlobSize[]; missing: string[] }> {
  const there = await folder.sizes();
  const added = keys.filter((key) => !there.has(key));
  if (added.length > 0) print(`Copying ${added.length} of ${keys.length} blobs …`);
  const missing: string[] = [];
  await inParallel(added, AT_ONCE, async (key) => {
    const source = await from.get(key);
    if (source === null) return void missing.push(key);
    try {
      there.set(key, (await folder.blobs.put(source, { key })).size);
    } catch (error) {
      if (!(error instanceof OtherContent)) throw error;
      missing.push(key);
    }
  });
  const copied = keys.flatMap((key) => {
    const size = there.get(key);
    return size === undefined ? [] : [{ key, size }];
  });
  return { copied, missing };
}

/** Writes the list of blobs. Returns what the manifest says of it and of the database. */
async function finish(
  to: string,
  database: string,
  copied: readonly BlobSize[],
): Promise<Pick<Manifest, "database" | "blobs">> {
  await writeBlobList(to, copied);
  const bytes = copied.reduce((sum, { size }) => sum + size, 0);
  return {
    database: await measure(database),
    blobs: { count: copied.length, bytes, list: await measure(path.join(to, FILES.blobs)) },
  };
}

/** @throws SetupError if less is free than a copy of the database needs. */
async function requireSpace(directory: string, size: number | null): Promise<void> {
  const free = await freeBytes(directory);
  if (size !== null && free !== null && free < size)
    throw new SetupError(
      `The copy of the database needs ${megabytes(size)}, and ${megabytes(free)} are free in ${directory}: no backup was made. Free space there, or keep fewer with --keep.`,
    );
}

/** Says in the database when the last backup was made, for the metrics and the page of administrators. A failure is only told. */
async function record(config: Config, at: number, print: Print): Promise<void> {
  try {
    const db = await openDb(config, () => {});
    try {
      await recordBackup(at, db);
    } finally {
      await db.close();
    }
  } catch (error) {
    print(`Warning: the time of this backup is not in the metrics: ${(error as Error).message}`);
  }
}

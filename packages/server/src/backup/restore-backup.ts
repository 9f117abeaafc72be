import { randomUUID } from "node:crypto";
import { copyFile, open, stat } from "node:fs/promises";
import path from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { inParallel } from "../async/task-pool.ts";
import { type Config, isPostgres, readConfig } from "../config/config.ts";
import { SetupError } from "../config/setting-types.ts";
import { Sealer } from "../crypto/secrets.ts";
import { freeBytes } from "../disk/disk-space.ts";
import { makeDirectory, makePrivate } from "../disk/private-files.ts";
import type { BlobSize, Blobs } from "../drivers/blobs/blobs.ts";
import type { RestoredTimes } from "../drivers/database-backups.ts";
import {
  knownMigrations,
  openBlobs,
  openBlobsIn,
  postgresTables,
  prepareRestored,
  restorePostgresDump,
} from "../drivers/index.ts";
import { markedInstance } from "../instance/instance-id.ts";
import { withoutService } from "../instance/one-writer.ts";
import { HOLD_MS } from "../instance/sweep-guard.ts";
import {
  beginPlan,
  blobsDirectory,
  commitPlan,
  finishRestore,
  type OnStep,
  placeOf,
  stagedBlobs,
  stagedDatabase,
} from "./interrupted-restore.ts";
import { measure } from "./manifest.ts";
import { faultOf, type Verified, verifyBackup } from "./verify-backup.ts";
import { megabytes, type Print } from "./words.ts";

/** The number of blobs that are compared or copied at once. */
const AT_ONCE = 4;

export interface RestoreOptions {
  /** The name of the backup; the newest by default. */
  name?: string | undefined;
  /** Whether a PostgreSQL database that has tables is replaced. */
  replace?: boolean;
  print?: Print;
  clock?: () => number;
  onStep?: OnStep;
}

/** What a restore works with. */
interface Restore {
  config: Config;
  environment: Record<string, string | undefined>;
  backup: Verified;
  /** The name under which the present data is kept. */
  aside: string;
  times: RestoredTimes;
  print: Print;
  onStep: OnStep;
}

/**
 * Replaces the data of the instance that the settings name by a backup, while the service is stopped. Verifies the backup first, and moves the
 * present data aside. If it is interrupted, the old data is there or the next start finishes the restore.
 *
 * @throws SetupError if it is not possible. Then the present data is as it was.
 */
export async function restoreBackup(
  environment: Record<string, string | undefined>,
  directory: string,
  { name, replace = false, print = () => {}, clock = Date.now, onStep = async () => {} }: RestoreOptions = {},
): Promise<void> {
  const config = readConfig(environment);
  await makeDirectory(placeOf(config));
  await withoutService(config, async () => {
    if (await finishRestore(config)) print("Finished an earlier restore that was interrupted.");
    const backup = await verifyBackup(directory, name, print);
    await requireSuitable(backup, config);
    warnOfKeys(backup, config, print);
    // With milliseconds, because the names of two restores in one second would clash.
    const aside = `before-restore-${new Date(clock()).toISOString().replaceAll(/[:.]/g, "-")}`;
    const times = { takenAt: Date.parse(backup.manifest.takenAt), holdUntil: clock() + HOLD_MS };
    const restore = { config, environment, backup, aside, times, print, onStep };
    await (isPostgres(config.databaseUrl) ? restorePostgres(restore, replace) : restoreSqlite(restore));
    print(
      `Restored ${backup.name}. Unused blobs are kept until ${new Date(times.holdUntil).toISOString().slice(0, 10)}, so that you can go back; ` +
        "`easel-server sweep --now` ends that. Start the service.",
    );
  });
}

/** @throws SetupError if the settings or this release do not fit the backup. */
async function requireSuitable({ name, manifest: backup }: Verified, config: Config): Promise<void> {
  const engine = isPostgres(config.databaseUrl) ? "postgres" : "sqlite";
  const names = { sqlite: "SQLite", postgres: "PostgreSQL" };
  if (backup.engine !== engine)
    throw new SetupError(
      `The backup ${name} is of ${names[backup.engine]}, and SERVICE_DATABASE_URL names a database of ${names[engine]}: restore it with settings for ${names[backup.engine]}, and move the data afterwards.`,
    );
  const known = await knownMigrations(engine);
  const newer = backup.migrations.find((each) => !known.includes(each));
  if (newer !== undefined)
    throw new SetupError(
      `The backup ${name} is of release ${backup.version}, whose migration ${newer} this release (${manifest.version}) does not know: restore it with that release or a newer one.`,
    );
}

function warnOfKeys({ manifest: { encryptionKeys } }: Verified, config: Config, print: Print): void {
  const { keyIds } = new Sealer(config.encryptionKeys);
  const missing = encryptionKeys.filter((id) => !keyIds.includes(id));
  if (missing.length > 0)
    print(
      "Warning: SERVICE_ENCRYPTION_KEY is not the key of this backup. Connections with protected headers stay locked until you set that key, or enter the headers again.",
    );
}

async function restoreSqlite(restore: Restore): Promise<void> {
  const { config, backup, aside, times, print, onStep } = restore;
  const place = placeOf(config);
  await requireFree(place, backup.manifest.database.bytes);
  const blobs = await putBlobs(restore);
  print("Copying the database …");
  const directory = await beginPlan(config);
  const staged = stagedDatabase(directory);
  await copyFile(backup.database, staged);
  await makePrivate(staged, 0o600);
  await onStep("database copied");
  if ((await measure(staged)).sha256 !== backup.manifest.database.sha256)
    throw new SetupError(
      `The copy of the database in ${directory} differs from the backup: the disk may be broken. Nothing was replaced.`,
    );
  await prepareRestored(staged, times);
  await syncFile(staged);
  await onStep("database prepared");
  await commitPlan(directory, { aside, ...blobs, token: null }, config);
  await onStep("restore final");
  await finishRestore(config, onStep);
  if (await isThere(path.join(place, aside)))
    print(`The database of before is in ${path.join(place, aside)}: remove it when you no longer need it.`);
  tellBlobs(restore, blobs.replacesBlobs);
}

async function restorePostgres(restore: Restore, replace: boolean): Promise<void> {
  const { config, environment, backup, aside, times, print, onStep } = restore;
  const tables = await postgresTables(config.databaseUrl);
  if (tables > 0 && !replace)
    throw new SetupError(
      `The database in SERVICE_DATABASE_URL has ${tables} tables: restore into an empty one, or add --replace, which keeps the present tables in a schema of their own.`,
    );
  const schema = tables > 0 ? aside.toLowerCase().replaceAll("-", "_") : null;
  const blobs = await putBlobs(restore);
  print("Restoring the database …");
  const token = randomUUID();
  await commitPlan(await beginPlan(config), { aside, ...blobs, token }, config);
  await onStep("restore prepared");
  const { tables: rows } = backup.manifest;
  const failure = await restorePostgresDump(
    backup.database,
    { url: config.databaseUrl, environment },
    { aside: schema, tables: rows, times, token },
  ).catch((error: unknown) => error);
  await onStep("database restored");
  // A connection that is lost does not say whether the database was restored. The database does.
  if (!(await finishRestore(config, onStep)))
    throw failure ?? new Error("the restored database is not there");
  if (schema !== null)
    print(
      `The tables of before are in the schema ${schema}: remove it with \`drop schema ${schema} cascade\` when you no longer need it.`,
    );
  tellBlobs(restore, blobs.replacesBlobs);
}

function tellBlobs({ config, aside, print }: Restore, areReplaced: boolean): void {
  if (areReplaced)
    print(
      `The blobs of before are in ${blobsDirectory(config)}.${aside}: remove them when you no longer need them.`,
    );
}

/**
 * Copies the blobs of the backup that the blob store lacks, or whose bytes there are damaged. A directory with the blobs of another instance is
 * left as it is, and all blobs are put into a new one that takes its place later; but blobs that are all of the backup, as an interrupted restore has
 * left them, are added to.
 */
async function putBlobs({
  config,
  backup,
  print,
  onStep,
}: Restore): Promise<{ replacesBlobs: boolean; mark: string | null }> {
  const { instance } = backup.manifest;
  const present = await openBlobs(config, null);
  try {
    const marked = await markedInstance(present);
    const replacesBlobs = marked !== instance && (await hasOthers(present, backup.listed));
    const into = replacesBlobs ? await openOthers(config, instance, marked) : present;
    await copyInto(into, config, backup, print);
    await onStep("blobs copied");
    return { replacesBlobs, mark: marked === instance ? null : instance };
  } finally {
    await present.close();
  }
}

/** Whether a store has a blob that is not listed. */
async function hasOthers(blobs: Blobs, listed: readonly BlobSize[]): Promise<boolean> {
  const own = new Set(listed.map(({ key }) => key));
  for await (const key of blobs.list(Number.MAX_SAFE_INTEGER)) if (!own.has(key)) return true;
  return false;
}

/** Opens a new directory of blobs beside the present one. @throws SetupError if that cannot take the place of the present one. */
async function openOthers(config: Config, instance: string | null, marked: string | null): Promise<Blobs> {
  const directory = blobsDirectory(config);
  const theirs = marked === null ? "blobs without an instance id" : `the blobs of instance ${marked}`;
  if (directory === null)
    throw new SetupError(
      `SERVICE_BLOBS_URL has ${theirs}, and the backup is of instance ${instance}: name an empty bucket or prefix. Nothing was replaced.`,
    );
  const [own, above] = await Promise.all([stat(directory), stat(path.dirname(path.resolve(directory)))]);
  if (own.dev !== above.dev)
    throw new SetupError(
      `${directory} is a disk of its own with ${theirs}, and the backup is of instance ${instance}: move its files away first. Nothing was replaced.`,
    );
  return openBlobsIn(stagedBlobs(directory));
}

async function copyInto(
  into: Blobs,
  config: Config,
  { listed, blobs }: Verified,
  print: Print,
): Promise<void> {
  const missing: BlobSize[] = [];
  await inParallel(listed, AT_ONCE, async (blob) => {
    if ((await faultOf(into, blob.key)) !== null) missing.push(blob);
  });
  if (missing.length === 0) return;
  const directory = blobsDirectory(config);
  const bytes = missing.reduce((sum, { size }) => sum + size, 0);
  if (directory !== null) await requireFree(path.dirname(path.resolve(directory)), bytes);
  print(`Copying ${missing.length} of ${listed.length} blobs …`);
  await inParallel(missing, AT_ONCE, async ({ key }) => {
    const source = await blobs.get(key);
    if (source === null)
      throw new SetupError(`The blob ${key} has vanished from the backup. Nothing was replaced.`);
    await into.put(source, { key });
  });
}

/** @throws SetupError if less is free in a directory. */
async function requireFree(directory: string, bytes: number): Promise<void> {
  const free = await freeBytes(directory);
  if (free !== null && free < bytes)
    throw new SetupError(
      `The restore needs ${megabytes(bytes)}, and ${megabytes(free)} are free in ${directory}. Nothing was replaced.`,
    );
}

const isThere = async (file: string) => (await stat(file, { throwIfNoEntry: false })) !== undefined;

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, "r+");
  await handle.sync().finally(() => handle.close());
}

import { readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { type Config, isPostgres } from "../config/config.ts";
import { SetupError } from "../config/setting-types.ts";
import { makeDirectory, makePrivate, syncDirectory, writePrivate } from "../disk/private-files.ts";
import { isRestoredDump, openBlobs } from "../drivers/index.ts";

/**
 * What a restore does once everything is prepared. It is written into the directory `restoring` with the new database; from the moment at which
 * that directory gets its name, the restore is carried out to its end, if need be by the next start (decision 126).
 */
interface Plan {
  /** The name under which the present data is kept: of a directory for the database, and an ending for the directory of the blobs. */
  aside: string;
  /** Whether new blobs take the place of the present ones, which are moved aside. */
  replacesBlobs: boolean;
  /** The id of the instance with which the blobs are to be marked; null if they are marked already. */
  mark: string | null;
  /**
   * What the restored database of PostgreSQL is known by. Only if it is there was the database restored; otherwise nothing is carried out. Null on
   * SQLite, whose new database is part of the plan.
   */
  token: string | null;
}

/** The files of an SQLite database. The log must not stay: SQLite would apply it to the new database. */
const SUFFIXES = ["", "-wal", "-shm", "-journal"];

/** Called after each step of a restore, with what has been done. */
export type OnStep = (done: string) => Promise<void>;

const PLAN = "plan.json";

/** Returns the directory in which a restore prepares the new data: that of the database, or the data directory. */
export const placeOf = ({ databaseUrl, dataDir }: Config): string =>
  isPostgres(databaseUrl) ? dataDir : path.dirname(fileOf(databaseUrl));

const fileOf = (databaseUrl: string) => databaseUrl.slice("sqlite:".length);

const isThere = async (file: string) => (await stat(file, { throwIfNoEntry: false })) !== undefined;

/** The directory of the blobs; null if they are on S3. */
export const blobsDirectory = ({ s3, blobsUrl }: Config): string | null =>
  s3 === null ? blobsUrl.slice("file:".length) : null;

/** Where new blobs lie before they take the place of the present ones. */
export const stagedBlobs = (directory: string): string => `${directory}.restoring`;

/** Where the new database lies before it takes the place of the present one. */
export const stagedDatabase = (directory: string): string => path.join(directory, "easel.db");

/** The directory of a restore that is final. */
const planOf = (config: Config) => path.join(placeOf(config), "restoring");

/** Whether there is a restore that was interrupted after it had become final. */
export const isInterrupted = (config: Config): Promise<boolean> => isThere(planOf(config));

/** @throws SetupError if a restore was interrupted, so that database and blobs may not belong together. */
export async function requireRestored(config: Config): Promise<void> {
  if (await isInterrupted(config))
    throw new SetupError(
      "A restore of this instance was interrupted: start the service, which finishes it, or run `easel-server restore` again. Nothing has been done.",
    );
}

/** Makes an empty directory in which a restore is prepared, and returns it. */
export async function beginPlan(config: Config): Promise<string> {
  const directory = path.join(placeOf(config), "restoring.new");
  await rm(directory, { recursive: true, force: true });
  await makeDirectory(directory);
  return directory;
}

/** Makes a prepared restore final: it is carried out from now on. */
export async function commitPlan(directory: string, plan: Plan, config: Config): Promise<void> {
  await writePrivate(path.join(directory, PLAN), JSON.stringify(plan));
  await syncDirectory(directory);
  await rename(directory, planOf(config));
  await syncDirectory(placeOf(config));
}

/** Whether a restore is final and not carried out yet, which the next start does. */
export const isRestoring = (config: Config): Promise<boolean> =>
  isThere(path.join(placeOf(config), "restoring", PLAN));

/**
 * Carries out a restore that is final. Each step can be repeated, so that it does not matter where it was interrupted before. Returns whether
 * there was one. What a restore has prepared and not made final is removed.
 */
export async function finishRestore(config: Config, onStep: OnStep = async () => {}): Promise<boolean> {
  const directory = planOf(config);
  const blobsIn = blobsDirectory(config);
  const plan = await readPlan(directory);
  if (plan === null || !(await isFinal(plan, config))) {
    for (const each of [directory, `${directory}.new`]) await rm(each, { recursive: true, force: true });
    if (blobsIn !== null) await rm(stagedBlobs(blobsIn), { recursive: true, force: true });
    return false;
  }
  if (!isPostgres(config.databaseUrl)) await putDatabase(directory, plan, fileOf(config.databaseUrl), onStep);
  if (plan.replacesBlobs && blobsIn !== null) await putBlobs(blobsIn, plan, onStep);
  if (plan.mark !== null) {
    const blobs = await openBlobs(config, null);
    await blobs.remark("instance", plan.mark).finally(() => blobs.close());
    await onStep("blobs marked");
  }
  // The plan goes last, because without it what is left would not be carried out.
  await rm(path.join(directory, PLAN));
  await rm(directory, { recursive: true });
  await syncDirectory(placeOf(config));
  return true;
}

async function readPlan(directory: string): Promise<Plan | null> {
  const text = await readFile(path.join(directory, PLAN), "utf8").catch((error) => {
    if (error.code !== "ENOENT") throw error;
    return null;
  });
  return text === null ? null : (JSON.parse(text) as Plan);
}

const isFinal = async ({ token }: Plan, { databaseUrl }: Config) =>
  token === null || (await isRestoredDump(databaseUrl, token));

/** Moves the present database aside with its log, and the new one into its place. */
async function putDatabase(directory: string, { aside }: Plan, file: string, onStep: OnStep): Promise<void> {
  const staged = stagedDatabase(directory);
  const to = path.join(path.dirname(file), aside);
  if (!(await isThere(staged))) return;
  for (const suffix of SUFFIXES) {
    if (!(await isThere(file + suffix))) continue;
    await makeDirectory(to);
    await rename(file + suffix, path.join(to, path.basename(file) + suffix));
    await onStep(`database${suffix} aside`);
  }
  await syncDirectory(path.dirname(file));
  await rename(staged, file);
  await makePrivate(file, 0o600);
  await syncDirectory(path.dirname(file));
  await onStep("database in place");
}

/** Moves the present blobs aside, and the new ones into their place. */
async function putBlobs(directory: string, { aside }: Plan, onStep: OnStep): Promise<void> {
  const staged = stagedBlobs(directory);
  if (!(await isThere(staged))) return;
  if (await isThere(directory)) {
    await rename(directory, `${directory}.${aside}`);
    await onStep("blobs aside");
  }
  await rename(staged, directory);
  await syncDirectory(path.dirname(directory));
  await onStep("blobs in place");
}

import path from "node:path";
import { inParallel } from "../async/task-pool.ts";
import { blobColumnsOf } from "../canvases/canvas-data.ts";
import { SetupError } from "../config/setting-types.ts";
import { type BlobSize, type Blobs, Content, OtherContent } from "../drivers/blobs/blobs.ts";
import type { CopiedState } from "../drivers/database-backups.ts";
import { checkOf } from "../drivers/index.ts";
import { storedData } from "../stored-data.ts";
import { BackupFolder, readBlobList } from "./backup-folder.ts";
import { FILES, type Manifest, measure, readManifest } from "./manifest.ts";
import { describeBackup, type Print } from "./words.ts";

/** The number of blobs that are read at once. */
const AT_ONCE = 4;

/** The number of faults that are told. */
const FAULTS_MAX = 20;

/** A backup that was found to be whole. */
export interface Verified {
  name: string;
  manifest: Manifest;
  /** The path of the copy of the database. */
  database: string;
  /** The blobs to which it refers, and the store that has them. */
  listed: BlobSize[];
  blobs: Blobs;
}

/**
 * Verifies a backup, the newest by default: manifest, hashes, the database with its references, and the bytes of every blob. Changes nothing.
 *
 * @throws SetupError with all that is wrong.
 */
export async function verifyBackup(
  directory: string,
  name: string | undefined,
  print: Print = () => {},
): Promise<Verified> {
  const folder = await BackupFolder.open(directory);
  const found = await folder.find(name);
  const at = folder.pathOf(found);
  const manifest = await readManifest(at);
  print(`Verifying ${found}: ${describeBackup(manifest)} …`);
  const faults: string[] = [];
  const database = path.join(at, FILES[manifest.engine]);
  await compareFile(database, manifest.database, faults);
  await compareFile(path.join(at, FILES.blobs), manifest.blobs.list, faults);
  refuse(at, faults);
  const listed = await readBlobList(at);
  const state = await (await checkOf(manifest.engine))(database, blobColumnsOf(storedData()), faults);
  if (state !== null) compareState(state, manifest, new Set(listed.map(({ key }) => key)), faults);
  await inParallel(listed, AT_ONCE, async ({ key, size }) => {
    const fault = await faultOf(folder.blobs, key, size);
    if (fault !== null) faults.push(fault);
  });
  refuse(at, faults);
  for (const key of manifest.missing)
    print(`Warning: the blob ${key} was missing or damaged in the instance itself.`);
  return { name: found, manifest, database, listed, blobs: folder.blobs };
}

async function compareFile(file: string, expected: Manifest["database"], faults: string[]): Promise<void> {
  const measured = await measure(file).catch(() => null);
  if (measured === null) faults.push(`${path.basename(file)} is missing or cannot be read.`);
  else if (measured.bytes !== expected.bytes)
    faults.push(
      `${path.basename(file)} has ${measured.bytes} bytes instead of ${expected.bytes}: it is truncated or was altered.`,
    );
  else if (measured.sha256 !== expected.sha256)
    faults.push(`${path.basename(file)} was altered: it has another hash.`);
}

function compareState(
  state: CopiedState,
  manifest: Manifest,
  keys: ReadonlySet<string>,
  faults: string[],
): void {
  if (state.instance !== manifest.instance)
    faults.push("The database is of another instance than the manifest says.");
  if (state.migrations.join() !== manifest.migrations.join())
    faults.push("The database has other migrations than the manifest says.");
  for (const table of new Set([...Object.keys(state.tables), ...Object.keys(manifest.tables)])) {
    const [rows, expected] = [state.tables[table] ?? 0, manifest.tables[table] ?? 0];
    if (rows !== expected) faults.push(`The table ${table} has ${rows} rows instead of ${expected}.`);
  }
  const missing = new Set(manifest.missing);
  for (const key of state.blobs)
    if (!keys.has(key) && !missing.has(key))
      faults.push(`The blob ${key} is not in the list, and the database refers to it.`);
}

/** Reads a blob, and says what is wrong with it; null if nothing is. */
export async function faultOf(blobs: Blobs, key: string, size?: number): Promise<string | null> {
  try {
    const source = await blobs.get(key);
    if (source === null) return `The blob ${key} is missing.`;
    for await (const _ of new Content({ key, ...(size !== undefined && { size }) }).pass(source));
    return null;
  } catch (error) {
    if (error instanceof OtherContent)
      return `The blob ${key} is damaged: remove its file, and the next backup copies it again.`;
    return `The blob ${key} cannot be read: ${(error as Error).message}.`;
  }
}

function refuse(at: string, faults: readonly string[]): void {
  if (faults.length === 0) return;
  const more = faults.length - FAULTS_MAX;
  throw new SetupError(
    [
      `The backup ${at} is not whole:`,
      ...faults.slice(0, FAULTS_MAX).map((fault) => `  ${fault}`),
      ...(more > 0 ? [`  and ${more} more.`] : []),
    ].join("\n"),
  );
}

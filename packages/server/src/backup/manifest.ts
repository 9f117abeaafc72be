import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { SetupError } from "../config/setting-types.ts";

/** The format of backups that this release writes, and the newest that it reads. */
const FORMAT = 1;

/** The names of the files in a backup. */
export const FILES = {
  manifest: "manifest.json",
  blobs: "blobs.txt",
  sqlite: "easel.db",
  postgres: "easel.dump",
};

const count = z.int().nonnegative();
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const measuredFile = z.object({ bytes: count, sha256: hash });

const manifest = z.object({
  format: z.literal(FORMAT),
  /** When the backup was begun: what was acknowledged before is in it. */
  takenAt: z.iso.datetime(),
  /** The id of the instance; null for a database without. */
  instance: z.string().nullable(),
  /** The version of the release that has made it. */
  version: z.string(),
  engine: z.enum(["sqlite", "postgres"]),
  /** The names of the migrations of the database. */
  migrations: z.array(z.string()),
  /** The number of rows of each table. */
  tables: z.record(z.string(), count),
  database: measuredFile,
  /** The blobs that the database refers to: their number and bytes, and the file with their keys and sizes. */
  blobs: z.object({ count, bytes: count, list: measuredFile }),
  /** The keys of blobs that the database refers to, and that were missing or damaged in the instance itself. */
  missing: z.array(hash),
  /** The ids of the keys in SERVICE_ENCRYPTION_KEY. */
  encryptionKeys: z.array(z.string()),
});

/** What is in a backup. */
export type Manifest = z.infer<typeof manifest>;

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
const textOf = (contents: object) => `${JSON.stringify(contents, null, 2)}\n`;

/** Opens a file of a backup to read it. Throws for anything else than a file, such as a pipe, whose writer might never come. */
async function openFile(file: string): Promise<FileHandle> {
  // Windows has no such flag.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error(`${file} is no file`);
}

/** Reads a text of a backup. Throws if it is missing or no file. */
export async function readText(file: string): Promise<string> {
  await using handle = await openFile(file);
  return await handle.readFile("utf8");
}

/** Returns the text of a manifest: its contents, and their hash. */
export const manifestText = (contents: Manifest): string =>
  textOf({ ...contents, sha256: hashOf(textOf(contents)) });

/** Reads the manifest of the backup in a directory. @throws SetupError if it is missing, truncated, altered or of a newer release. */
export async function readManifest(directory: string): Promise<Manifest> {
  const file = path.join(directory, FILES.manifest);
  const text = await readText(file).catch(() => {
    throw new SetupError(`${directory} is no backup: it has no ${FILES.manifest} that can be read.`);
  });
  const { sha256, ...contents } = parsed(text);
  if (hashOf(textOf(contents)) !== sha256)
    throw new SetupError(`${file} is truncated or was altered: its contents have another hash.`);
  if (typeof contents.format === "number" && contents.format > FORMAT)
    throw new SetupError(`${directory} was made by a newer release: use that one.`);
  const read = manifest.safeParse(contents);
  if (!read.success)
    throw new SetupError(`${file} is no manifest of a backup: ${z.prettifyError(read.error)}`);
  return read.data;
}

/** Parses a JSON object. Anything else becomes an object without entries. */
function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Returns the size in bytes and the hash of a file. Throws if it is missing or no file. */
export async function measure(file: string): Promise<{ bytes: number; sha256: string }> {
  const digest = createHash("sha256");
  let bytes = 0;
  const handle = await openFile(file);
  for await (const chunk of handle.createReadStream({ highWaterMark: 1024 * 1024 })) {
    digest.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: digest.digest("hex") };
}

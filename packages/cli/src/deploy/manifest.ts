import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import pLimit from "p-limit";
import type { FolderFile } from "./folder.ts";

/** The number of files that are hashed at the same time. */
const HASHED_AT_ONCE = 8;

/** A file to deploy, with the SHA-256 of its bytes in hexadecimal. */
export interface HashedFile extends FolderFile {
  sha256: string;
}

async function hashOf(file: string, signal: AbortSignal): Promise<{ sha256: string; size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of createReadStream(file, { signal, highWaterMark: 256 * 1024 })) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { sha256: hash.digest("hex"), size };
}

/** Hashes files. The size of a result is that of the bytes that were hashed, even if the file has changed since it was listed. */
export async function hashFiles(files: readonly FolderFile[], signal: AbortSignal): Promise<HashedFile[]> {
  const limit = pLimit({ concurrency: HASHED_AT_ONCE, rejectOnClear: true });
  try {
    return await limit.map(files, async (file) => ({ ...file, ...(await hashOf(file.file, signal)) }));
  } catch (error) {
    limit.clearQueue();
    throw error;
  }
}

/** Returns the SHA-256 of the paths and hashes of files, by which a later run recognizes the same deploy. */
export function manifestDigest(files: readonly HashedFile[]): string {
  const hash = createHash("sha256");
  for (const { path, sha256 } of files) hash.update(`${sha256} ${path}\n`);
  return hash.digest("hex");
}

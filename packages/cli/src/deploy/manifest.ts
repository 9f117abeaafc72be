import { createHash, hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import pLimit from "p-limit";
import type { FolderFile } from "./folder.ts";

/** The number of files that are hashed at the same time. */
const HASHED_AT_ONCE = 8;

/** A file to deploy, with the SHA-256 of its bytes in hexadecimal. */
export interface HashedFile extends FolderFile {
  sha256: string;
}

/** The maximum size of a file that is read into memory as a whole. Larger files are streamed. */
const MAX_IN_MEMORY_BYTES = 1024 * 1024;

async function hashOf(
  { file, size: listed }: FolderFile,
  signal: AbortSignal,
): Promise<{ sha256: string; size: number }> {
  if (listed <= MAX_IN_MEMORY_BYTES) {
    const bytes = await readFile(file, { signal });
    return { sha256: hash("sha256", bytes, "hex"), size: bytes.length };
  }
  const content = createHash("sha256");
  let size = 0;
  for await (const chunk of createReadStream(file, { signal })) {
    content.update(chunk);
    size += chunk.length;
  }
  return { sha256: content.digest("hex"), size };
}

/** Hashes files. The `size` of a result is the number of hashed bytes, even if the file has changed since it was listed. */
export async function hashFiles(files: readonly FolderFile[], signal: AbortSignal): Promise<HashedFile[]> {
  const limit = pLimit({ concurrency: HASHED_AT_ONCE, rejectOnClear: true });
  try {
    return await limit.map(files, async (file) => ({ ...file, ...(await hashOf(file, signal)) }));
  } catch (error) {
    limit.clearQueue();
    throw error;
  }
}

/** Returns a SHA-256 over the paths and hashes of files, and over their release. A later run uses it to recognize the same deploy. */
export function manifestDigest(files: readonly HashedFile[], release = ""): string {
  return hash("sha256", files.map(({ path, sha256 }) => `${sha256} ${path}\n`).join("") + release, "hex");
}

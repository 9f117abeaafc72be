import type { OfferedFile } from "./offered.ts";

/** A file to deploy, with the SHA-256 of its bytes in hexadecimal. */
export interface HashedFile extends OfferedFile {
  sha256: string;
}

/** The number of files that are hashed at the same time. */
const AT_ONCE = 4;
/** The maximum size of a file that is read into memory as a whole, in bytes. */
const MAX_WHOLE_BYTES = 16 * 1024 * 1024;
/** The number of bytes that are hashed in one turn where the browser does not hash by itself. */
const SLICE_BYTES = 1024 * 1024;

const hex = (bytes: Uint8Array): string => bytes.toHex();

/** Hashes slice by slice in the page: a large file, or any where the page has no secure context, and so no `crypto.subtle`. */
async function hashSlices(file: Blob, signal: AbortSignal): Promise<string> {
  const { sha256 } = await import("@noble/hashes/sha2.js");
  const hash = sha256.create();
  for (let at = 0; at < file.size; at += SLICE_BYTES) {
    signal.throwIfAborted();
    hash.update(new Uint8Array(await file.slice(at, at + SLICE_BYTES).arrayBuffer()));
  }
  return hex(hash.digest());
}

/** Returns the SHA-256 of a file in hexadecimal. The browser hashes in a thread of its own. */
export async function sha256Of(file: Blob, signal: AbortSignal): Promise<string> {
  if (!("subtle" in crypto) || file.size > MAX_WHOLE_BYTES) return hashSlices(file, signal);
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer())));
}

/** Hashes files in parallel. Calls `onBytes` with the size of each when it is done. Throws a `NotReadableError` if one has changed since. */
export async function hashFiles(
  files: readonly OfferedFile[],
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<HashedFile[]> {
  const hashed: HashedFile[] = [];
  await inParallel(files, AT_ONCE, async (file, index) => {
    signal.throwIfAborted();
    hashed[index] = { ...file, sha256: await sha256Of(file.file, signal) };
    onBytes(file.size);
  });
  return hashed;
}

/** Calls `task` for each entry of a list, at most `width` at a time. Begins no more after an error, and throws it. */
export async function inParallel<Entry>(
  entries: readonly Entry[],
  width: number,
  task: (entry: Entry, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  let isBroken = false;
  const work = async () => {
    while (next < entries.length && !isBroken) {
      const index = next++;
      try {
        await task(entries[index] as Entry, index);
      } catch (error) {
        isBroken = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, entries.length) }, work));
}

/** Returns a SHA-256 over the paths and hashes of files, by which the same files are recognized again. */
export const manifestOf = (files: readonly HashedFile[], signal: AbortSignal): Promise<string> => {
  const lines = files.map(({ path, sha256 }) => `${sha256} ${path}\n`).sort();
  return sha256Of(new Blob(lines), signal);
};

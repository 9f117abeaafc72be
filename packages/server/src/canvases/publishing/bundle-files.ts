import { createHash, hash } from "node:crypto";
import { Readable } from "node:stream";
import { setImmediate as immediate } from "node:timers/promises";
import { inParallel } from "../../async/in-parallel.ts";
import type { Env } from "../../env.ts";
import type { BlobSize } from "../bundle-blobs.ts";
import { FILES_AT_ONCE, type VersionFile } from "../version-files.ts";
import type { BundleFile } from "./bundle.ts";
import { mimeOf } from "./mime.ts";
import { isWorthCompressing, MAX_IN_MEMORY_BYTES } from "./representations.ts";

/** The maximum number of files that are stored concurrently. */
const WIDTH = 4;
/** The number of files that are hashed in one turn of the event loop. */
const HASHES_AT_ONCE = 8;
/** A slice of files is complete once the declared sizes of its files together exceed this number of bytes. */
const SLICE_BYTES = 8 * 1024 * 1024;

/** A file of a bundle. `key` is the SHA-256 of its bytes. `source` opens a stream of the bytes. */
interface HashedFile extends BlobSize {
  path: string;
  source: () => Promise<AsyncIterable<Uint8Array>>;
}

/** Cuts a list of files into slices that are limited in number and size, because the small files of a slice are kept in memory together. */
export function slicesOf(files: BundleFile[]): BundleFile[][] {
  const slices: BundleFile[][] = [];
  let slice: BundleFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (slice.length === FILES_AT_ONCE || bytes > SLICE_BYTES) slice = [];
    if (slice.length === 0) {
      slices.push(slice);
      bytes = 0;
    }
    slice.push(file);
    bytes += file.size;
  }
  return slices;
}

/**
 * Hashes a file, unless its key is known already. Keeps the bytes of a small file in memory. A larger file is read again if its bytes must
 * be stored.
 */
async function hashFile(file: BundleFile): Promise<HashedFile> {
  const { path, key, size } = file;
  const source = () => file.open();
  if (key !== undefined) return { path, key, size, source };
  if (size <= MAX_IN_MEMORY_BYTES) {
    const chunks = await Array.fromAsync(await file.open());
    const bytes = chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
    return {
      path,
      key: hash("sha256", bytes, "hex"),
      size: bytes.length,
      source: async () => Readable.from([bytes]),
    };
  }
  const sha256 = createHash("sha256");
  let read = 0;
  for await (const chunk of await file.open()) {
    sha256.update(chunk);
    read += chunk.length;
  }
  return { path, key: sha256.digest("hex"), size: read, source };
}

/**
 * Hashes a slice of files one after the other, in their order, because an archive is read fastest from its beginning to its end. Throws the
 * reason of `signal` if it aborts.
 */
export async function hashAll(files: BundleFile[], signal: AbortSignal): Promise<HashedFile[]> {
  const hashed: HashedFile[] = [];
  for (const file of files) {
    signal.throwIfAborted();
    hashed.push(await hashFile(file));
    if (hashed.length % HASHES_AT_ONCE === 0) await immediate();
  }
  return hashed;
}

/**
 * Stores the bytes of hashed files. Does not store the bytes of blobs in `known` again, because the canvas has them. Everything is durable
 * when the promise resolves. Throws the reason of `signal` if it aborts.
 */
export async function storeFiles(
  files: HashedFile[],
  known: Map<string, BlobSize>,
  signal: AbortSignal,
  env: Env,
): Promise<VersionFile[]> {
  const added = new Map(files.filter(({ key }) => !known.has(key)).map((file) => [file.key, file]));
  await inParallel([...added.values()], WIDTH, async ({ key, size, source }) => {
    signal.throwIfAborted();
    return env.blobs.put(await source(), { key, size });
  });
  return files.map(({ path, key, size }) => {
    const mime = mimeOf(path);
    return { path, mime, compressible: isWorthCompressing(mime, size), blob: { key, size } };
  });
}

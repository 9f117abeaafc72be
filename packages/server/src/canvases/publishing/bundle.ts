import { createHash, hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";
import { setImmediate as immediate } from "node:timers/promises";
import { beginsLikePage, pathFault } from "@easel/protocol/bundle";
import { LIMITS } from "@easel/protocol/limits";
import { inParallel } from "../../async/task-pool.ts";
import type { BlobSize } from "../../drivers/blobs/blobs.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { FILES_AT_ONCE, type VersionFile } from "../version-files.ts";
import { readEntry, readZip, type ZipEntry } from "../zip/read-zip.ts";
import { ZipSource } from "../zip/zip-source.ts";
import { isWorthCompressing, MAX_IN_MEMORY_BYTES, mimeOf } from "./representations.ts";
import { quoted, type Selection, selectFiles } from "./select-files.ts";

/** One file of a bundle. */
export interface BundleFile {
  /** The path relative to the top folder of the bundle, with slashes, without `.`, `..` or empty segments. */
  path: string;
  /** The size in bytes that the archive declares. Reading throws if the file is longer or shorter. */
  size: number;
  /** The SHA-256 of the file's bytes in hexadecimal, if it is known without reading them. */
  key?: string;
  open(): Promise<AsyncIterable<Uint8Array>>;
}

/** The files of a bundle that are published, and the paths that are left out. `warnings` are sentences for people about likely mistakes. */
export type Bundle = Selection<BundleFile>;

const MIB = 1024 * 1024;
/** The number of bytes at the start of an upload that decide whether it is an HTML page or a zip. */
const SNIFFED_BYTES = 1024;

const invalid = (message: string): never => refuse("INVALID_BODY", { message });

function checkEntry({ path, size, compressedSize, fault }: ZipEntry): void {
  if (fault !== undefined) invalid(`\`${path}\` ${fault}.`);
  if (size > MIB && size > LIMITS.bundleRatio.value * compressedSize)
    invalid(`\`${path}\` is compressed too well to be true.`);
}

async function zipBundle(source: ZipSource): Promise<Bundle> {
  const entries = await readZip(source);
  for (const { isFolder, path } of entries) {
    const fault = isFolder ? pathFault(path.slice(0, -1)) : undefined;
    if (fault !== undefined) invalid(`The path ${quoted(path)} ${fault}.`);
  }
  const files = entries.filter(({ isFolder }) => !isFolder);
  const bundle = await selectFiles(
    files.map((entry) => ({ ...entry, entry, open: async () => readEntry(source, entry) })),
  );
  for (const { entry } of bundle.files) checkEntry(entry);
  return bundle;
}

/** Returns a bundle that contains an uploaded HTML file as its `index.html`. */
async function pageBundle(source: ZipSource): Promise<Bundle> {
  async function* read() {
    for await (const chunk of source.stream(0, source.size)) {
      // The headers of every zip contain zero bytes. Refusing zero bytes ensures that no accepted page can also be read as a zip.
      if (chunk.includes(0)) invalid("The page is not a text: it contains a zero byte.");
      yield chunk;
    }
  }
  return selectFiles([{ path: "index.html", size: source.size, open: async () => read() }]);
}

/** Whether a file begins like an HTML document. */
async function isPage(source: ZipSource): Promise<boolean> {
  const start = await source.bytes(0, Math.min(source.size, SNIFFED_BYTES));
  return beginsLikePage(start.toString("utf8"));
}

async function bundleOf(file: FileHandle): Promise<Bundle> {
  const source = new ZipSource(file, (await file.stat()).size);
  return (await isPage(source)) ? pageBundle(source) : zipBundle(source);
}

/**
 * Opens an uploaded file and calls `use` with its bundle. The content of the file decides whether it is read as a zip or as one HTML page.
 * Throws 400 `INVALID_BODY` if the bundle breaks a rule; a damaged entry is noticed only when `use` reads it.
 */
export async function withBundle<Result>(
  file: string,
  use: (bundle: Bundle) => Promise<Result>,
): Promise<Result> {
  const handle = await open(file);
  try {
    return await use(await bundleOf(handle));
  } finally {
    await handle.close();
  }
}

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

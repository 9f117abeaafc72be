import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { TO_COMPRESS } from "../canvases/bundle-blobs.ts";
import { isCompressible } from "../canvases/publishing/representations.ts";
import type { CanvasContent, ServedFile } from "../drivers/canvas-content.ts";
import type { Env } from "../env.ts";

/** Returns the strong ETag of a file in one encoding. */
export const etagOf = ({ key, encoding }: Pick<ServedFile, "key" | "encoding">): string =>
  `"${key.slice(0, 32)}${encoding === "identity" ? "" : `-${encoding}`}"`;

/** Chooses the smallest encoding of a file that the client accepts, or the uncompressed file for a range request. */
export function chooseRepresentation<File extends Pick<ServedFile, "encoding" | "size">>(
  files: File[],
  { "accept-encoding": accepted, range }: IncomingHttpHeaders,
): File {
  const readable = files.filter(
    ({ encoding }) => encoding === "identity" || (range === undefined && accepts(accepted, encoding)),
  );
  return readable.reduce((best, each) => (each.size < best.size ? each : best));
}

function accepts(header: string | undefined, encoding: string): boolean {
  const entry = header?.split(",").find((each) => each.split(";")[0]?.trim().toLowerCase() === encoding);
  return entry !== undefined && !/;\s*q=0(\.0*)?\s*$/i.test(entry);
}

interface Row {
  path: string;
  mime: string;
  key: string;
  size: number;
  compressed: number;
  br_key: string | null;
  br_size: number;
  gzip_key: string | null;
  gzip_size: number;
}

/** Returns a file in its encodings: as it was uploaded, and compressed if its type is worth compressing and there are such variants. */
function encodingsOf({ path, mime, key, size, br_key, br_size, gzip_key, gzip_size }: Row): ServedFile[] {
  const files: ServedFile[] = [{ path, mime, encoding: "identity", key, size }];
  if (!isCompressible(mime)) return files;
  if (br_key !== null) files.push({ path, mime, encoding: "br", key: br_key, size: br_size });
  if (gzip_key !== null) files.push({ path, mime, encoding: "gzip", key: gzip_key, size: gzip_size });
  return files;
}

const CACHED_PATHS = 10_000;

/**
 * Looks up the files of versions. Caches them without expiry, because a stored version never changes, apart from the compressed variants
 * of its files. A file whose variants are still to be made is not cached, so that each node serves them as soon as they are there.
 */
export class ServedFiles {
  readonly #env;
  readonly #cache = new Map<string, ServedFile[]>();

  constructor(env: Env) {
    this.#env = env;
  }

  /** Returns the file at a path in all its encodings if it is cached, otherwise undefined. */
  cached(version: string, path: string): ServedFile[] | undefined {
    return this.#cache.get(keyOf(version, path));
  }

  /**
   * Looks up three paths of a version with one query: the wanted path and two alternatives. Returns a map from each path that exists to its
   * file in all encodings.
   */
  async find(
    version: string,
    [first, second, third]: [string, string, string],
  ): Promise<Map<string, ServedFile[]>> {
    const rows = await this.#env.db.all<Row>`
      select path, mime, version_files.blob_key as key, version_files.size, compressed, br_key, br_size, gzip_key, gzip_size
      from version_files join versions on versions.id = version_id
      join bundle_blobs on bundle_blobs.canvas_id = versions.canvas_id and bundle_blobs.blob_key = version_files.blob_key
      where version_id = ${version} and path in (${first}, ${second}, ${third})`;
    const found = new Map<string, ServedFile[]>();
    for (const row of rows) {
      const files = encodingsOf(row);
      found.set(row.path, files);
      if (row.compressed !== TO_COMPRESS) this.#keep(keyOf(version, row.path), files);
    }
    return found;
  }

  #keep(key: string, files: ServedFile[]): void {
    const [oldest] = this.#cache.size >= CACHED_PATHS ? this.#cache.keys() : [];
    if (oldest !== undefined) this.#cache.delete(oldest);
    this.#cache.set(key, files);
  }
}

const keyOf = (version: string, path: string): string => `${version}/${path}`;

/** Streams a file, or a range of it, from the blob store. */
async function streamBlob(
  { key }: ServedFile,
  range: { start: number; end: number } | undefined,
  env: Env,
): Promise<Readable> {
  const source = await env.blobs.get(key, range);
  if (source === null) throw new Error(`Blob ${key} is missing`);
  // When reading fails, the response has already begun. The client sees only a reset connection, so the cause is logged.
  return source.once("error", (error) => env.log.error({ err: error, blob: key }, "reading a blob failed"));
}

const MAX_BLOB_BYTES = 256 * 1024;
const CAPACITY_BYTES = 64 * 1024 * 1024;

/** Caches small blobs in memory and evicts the least recently used ones. Blobs are content-addressed, so entries never become stale. */
class BlobCache {
  readonly #blobs = new Map<string, Buffer>();
  #bytes = 0;

  /** Returns the bytes of a small blob, or a stream of a large one. */
  async open(file: ServedFile, env: Env): Promise<Buffer | Readable> {
    const { key, size } = file;
    const known = this.#blobs.get(key);
    if (known !== undefined) {
      // Moves the entry to the end, because the map's first entry counts as the least recently used one.
      this.#blobs.delete(key);
      this.#blobs.set(key, known);
      return known;
    }
    const source = await streamBlob(file, undefined, env);
    if (size > MAX_BLOB_BYTES) return source;
    const bytes = Buffer.concat(await source.toArray());
    this.#keep(key, bytes);
    return bytes;
  }

  #keep(key: string, bytes: Buffer): void {
    if (this.#blobs.has(key)) return;
    this.#blobs.set(key, bytes);
    this.#bytes += bytes.length;
    for (const [oldest, { length }] of this.#blobs) {
      if (this.#bytes <= CAPACITY_BYTES) return;
      this.#blobs.delete(oldest);
      this.#bytes -= length;
    }
  }
}

/** Returns the content of the versions that are stored in the database and the blob store. Caches files and small blobs. */
export function storedContent(env: Env): CanvasContent {
  const files = new ServedFiles(env);
  const blobs = new BlobCache();
  return {
    cached: (version, path) => files.cached(version, path),
    find: (version, paths) => files.find(version, paths),
    open: (file, range) => (range === undefined ? blobs.open(file, env) : streamBlob(file, range, env)),
  };
}

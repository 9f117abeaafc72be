import type { Readable } from "node:stream";
import { TO_COMPRESS } from "../canvases/bundle-blobs.ts";
import { isCompressible } from "../canvases/publishing/mime.ts";
import type { ServedFile } from "../drivers/canvas-content.ts";
import type { Env } from "../env.ts";

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
export async function streamBlob(
  { key }: ServedFile,
  range: { start: number; end: number } | undefined,
  env: Env,
): Promise<Readable> {
  const source = await env.blobs.get(key, range);
  if (source === null) throw new Error(`Blob ${key} is missing`);
  // When reading fails, the response has already begun. The client sees only a reset connection, so the cause is logged.
  return source.once("error", (error) => env.log.error({ err: error, blob: key }, "reading a blob failed"));
}

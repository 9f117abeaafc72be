import type { Readable } from "node:stream";
import type { ServedFile } from "../drivers/canvas-content.ts";
import type { Env } from "../env.ts";

interface Row {
  path: string;
  encoding: ServedFile["encoding"];
  mime: string;
  blob_key: string;
  size: number;
}

const fileOf = ({ path, encoding, mime, blob_key, size }: Row): ServedFile => ({
  path,
  encoding,
  mime,
  key: blob_key,
  size,
});

const CACHED_PATHS = 10_000;

/** Looks up the files of versions. Caches them without expiry, because a stored version never changes. */
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
      select path, encoding, mime, blob_key, size from version_files
      where version_id = ${version} and path in (${first}, ${second}, ${third})`;
    const found = Map.groupBy(rows.map(fileOf), ({ path }) => path);
    for (const [path, files] of found) this.#keep(keyOf(version, path), files);
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

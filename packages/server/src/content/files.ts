import type { Readable } from "node:stream";
import type { Env } from "../env.ts";

/** A representation of a file of a version, as it is sent. */
export interface ServedFile {
  path: string;
  encoding: "identity" | "br" | "gzip";
  mime: string;
  key: string;
  size: number;
}

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

/** Every representation of three paths of a version: one indexed read. */
export async function findFiles(
  version: string,
  [first, second, third]: [string, string, string],
  env: Env,
): Promise<ServedFile[]> {
  const rows = await env.db.all<Row>`
    select path, encoding, mime, blob_key, size from version_files
    where version_id = ${version} and path in (${first}, ${second}, ${third})`;
  return rows.map(fileOf);
}

/** The bytes of a file, or of a range of it, from the blob store. */
export async function stream(
  { key }: ServedFile,
  range: { start: number; end: number } | undefined,
  env: Env,
): Promise<Readable> {
  const source = await env.blobs.get(key, range);
  if (source === null) throw new Error(`Blob ${key} is missing`);
  // By then the answer has begun: the connection breaks off, and only the log can say why.
  return source.once("error", (error) => env.log.error({ err: error, blob: key }, "reading a blob failed"));
}

const SMALL = 256 * 1024;
const CAPACITY = 64 * 1024 * 1024;

/** Small blobs that have been sent lately, kept in memory. Content-addressed, so never stale. */
export class HotBlobs {
  readonly #blobs = new Map<string, Buffer>();
  #bytes = 0;

  /** The whole of a blob: its bytes when they are small, otherwise a stream. */
  async open(file: ServedFile, env: Env): Promise<Buffer | Readable> {
    const { key, size } = file;
    const known = this.#blobs.get(key);
    if (known !== undefined) {
      // Back to the end: the first of the map is the one unused for longest.
      this.#blobs.delete(key);
      this.#blobs.set(key, known);
      return known;
    }
    const source = await stream(file, undefined, env);
    if (size > SMALL) return source;
    const bytes = Buffer.concat(await source.toArray());
    this.#keep(key, bytes);
    return bytes;
  }

  #keep(key: string, bytes: Buffer): void {
    if (this.#blobs.has(key)) return;
    this.#blobs.set(key, bytes);
    this.#bytes += bytes.length;
    for (const [oldest, { length }] of this.#blobs) {
      if (this.#bytes <= CAPACITY) return;
      this.#blobs.delete(oldest);
      this.#bytes -= length;
    }
  }
}

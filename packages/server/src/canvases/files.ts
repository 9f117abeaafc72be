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

const SMALL = 256 * 1024;
const CAPACITY = 64 * 1024 * 1024;

/** Small blobs that have been sent lately, kept in memory. Content-addressed, so never stale. */
export class HotBlobs {
  readonly #blobs = new Map<string, Buffer>();
  #bytes = 0;

  /** The whole of a blob: its bytes when they are small, otherwise a stream. */
  async open({ key, size }: ServedFile, env: Env): Promise<Buffer | Readable> {
    const known = this.#blobs.get(key);
    if (known !== undefined) {
      // Back to the end: the first of the map is the one unused for longest.
      this.#blobs.delete(key);
      this.#blobs.set(key, known);
      return known;
    }
    const stream = await env.blobs.get(key);
    if (stream === null) throw new Error(`Blob ${key} is missing`);
    if (size > SMALL) return stream;
    const bytes = Buffer.concat(await stream.toArray());
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

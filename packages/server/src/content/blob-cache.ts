import type { Readable } from "node:stream";
import type { ServedFile } from "../drivers/canvas-content.ts";
import type { Env } from "../env.ts";
import { streamBlob } from "./served-files.ts";

const MAX_BLOB_BYTES = 256 * 1024;
const CAPACITY_BYTES = 64 * 1024 * 1024;

/** Caches small blobs in memory and evicts the least recently used ones. Blobs are content-addressed, so entries never become stale. */
export class BlobCache {
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

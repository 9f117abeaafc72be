import type { Readable } from "node:stream";
import type { Env } from "../env.ts";
import { type ServedFile, stream } from "./files.ts";

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

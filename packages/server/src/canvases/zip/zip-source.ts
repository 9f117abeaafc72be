import type { FileHandle } from "node:fs/promises";
import { malformed } from "./malformed.ts";

/** The maximum number of bytes that are read at once. */
const CHUNK_BYTES = 256 * 1024;

/** Reads a file at positions. Holds one chunk in memory, because the headers of a zip are read in their order. */
export class ZipSource {
  readonly size: number;
  readonly #file;
  #chunk: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.size = size;
  }

  /** Returns bytes of the file, which are valid until they are garbage. Throws 400 `INVALID_BODY` if the file ends before them. */
  async bytes(start: number, length: number): Promise<Buffer> {
    if (start + length > this.size) malformed("it is cut off, or an offset in it is wrong");
    let at = start - this.#start;
    if (at < 0 || at + length > this.#chunk.length) {
      this.#chunk = await this.#read(start, Math.max(length, CHUNK_BYTES));
      this.#start = start;
      at = 0;
    }
    return this.#chunk.subarray(at, at + length);
  }

  /** Streams bytes of the file. */
  async *stream(start: number, length: number): AsyncGenerator<Buffer> {
    for (let done = 0; done < length; ) {
      const chunk = await this.#read(start + done, Math.min(length - done, CHUNK_BYTES));
      done += chunk.length;
      yield chunk;
    }
  }

  /** Reads `length` bytes, or fewer at the end of the file. */
  async #read(start: number, length: number): Promise<Buffer> {
    const wanted = Math.min(length, this.size - start);
    const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(wanted), 0, wanted, start);
    if (bytesRead < wanted) malformed("it is cut off");
    return buffer;
  }
}

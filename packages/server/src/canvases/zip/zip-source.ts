import type { FileHandle } from "node:fs/promises";
import { refuse } from "../../http/refusal.ts";

/** Throws 400 `INVALID_BODY` for a malformed zip. `why` is the end of the error message, such as `a name in it is not UTF-8`. */
export const malformed = (why: string): never =>
  refuse("INVALID_BODY", { message: `The file is not a sound zip: ${why}.` });

/**
 * Reads an unsigned 64-bit number at the position `at`. Throws 400 `INVALID_BODY` if it is not a safe integer, because no size or offset in
 * an accepted zip is that large.
 */
export function wholeNumber(bytes: Buffer, at: number): number {
  const value = Number(bytes.readBigUInt64LE(at));
  return Number.isSafeInteger(value) ? value : malformed("a size or an offset in it is too large");
}

/** The number of bytes that are read from the file at once. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Reads bytes at any position of a zip file. Keeps the last chunk in memory, because headers that follow each other are read one after the
 * other.
 */
export class ZipSource {
  readonly size: number;
  readonly #file;
  #chunk: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.size = size;
  }

  /**
   * Returns `length` bytes of the file from the position `start`. Later reads do not overwrite the returned buffer. Throws 400
   * `INVALID_BODY` if the file ends before these bytes do.
   */
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

  /** Streams `length` bytes of the file from the position `start`. */
  async *stream(start: number, length: number): AsyncGenerator<Buffer> {
    for (let done = 0; done < length; ) {
      const chunk = await this.#read(start + done, Math.min(length - done, CHUNK_BYTES));
      done += chunk.length;
      yield chunk;
    }
  }

  /** Reads `length` bytes from the position `start`, or fewer at the end of the file. */
  async #read(start: number, length: number): Promise<Buffer> {
    const wanted = Math.min(length, this.size - start);
    const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(wanted), 0, wanted, start);
    if (bytesRead < wanted) malformed("it is cut off");
    return buffer;
  }
}

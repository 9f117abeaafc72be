import { createHash } from "node:crypto";
import type { Readable } from "node:stream";

/** The key and the size in bytes of a blob. */
export interface BlobSize {
  key: string;
  size: number;
}

/** What is known of the content of a blob before it is read: its key, its size in bytes, both or nothing. */
export type Expected = Partial<BlobSize>;

/** Thrown for bytes that are not the expected ones. `differs` says how: too many, too few, or as many with another hash. */
export class OtherContent extends Error {
  readonly differs: "longer" | "shorter" | "hash";

  constructor(differs: OtherContent["differs"]) {
    super(`the bytes are not the expected ones: ${differs}`);
    this.differs = differs;
  }
}

/** Measures a stream while it passes through, and compares it with what is expected. */
export class Content {
  readonly #expected: Expected;
  readonly #hash = createHash("sha256");
  /** The number of bytes that have passed. */
  size = 0;
  /** The key of the bytes, once all of them have passed. */
  key = "";

  constructor(expected: Expected) {
    this.#expected = expected;
  }

  /**
   * Passes a stream through. Throws `OtherContent` as soon as it is longer than the expected size, and at its end if it is shorter or has
   * another key.
   */
  async *pass(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { key, size = Number.POSITIVE_INFINITY } = this.#expected;
    for await (const chunk of source) {
      this.size += chunk.length;
      if (this.size > size) throw new OtherContent("longer");
      this.#hash.update(chunk);
      yield chunk;
    }
    if (this.size < (this.#expected.size ?? 0)) throw new OtherContent("shorter");
    this.key = this.#hash.digest("hex");
    if (key !== undefined && key !== this.key) throw new OtherContent("hash");
  }
}

/** How `put` stores a blob. */
export interface PutOptions extends Expected {
  /** Is called once all bytes have been read and compared, before they are stored under their key. If it throws, nothing is stored. */
  claim?: (blob: BlobSize) => Promise<void>;
}

/**
 * A store for bytes. The key of a blob is the SHA-256 of its content as 64 hexadecimal digits, so that the same bytes are stored once.
 *
 * The store does not know which blobs are in use. A caller of `put` has claimed the key in the database before, and ends the claim in
 * the batch that inserts a row with the key (`drivers/blob-references.ts`, decisions/072).
 */
export interface Blobs {
  /**
   * Stores a stream durably. Returns its key and size in bytes. Stores nothing when the stream fails, when no space is left, or when the
   * bytes are not the expected ones: then it throws `OtherContent`, for a stream that is too long as soon as it is. Stores the bytes and
   * resets the age of the blob also if it exists.
   */
  put(source: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<BlobSize>;
  /** Opens a stream of the bytes from `start` to `end`, both included, or of all bytes. Returns null for an unknown key. */
  get(key: string, range?: { start: number; end: number }): Promise<Readable | null>;
  /** Lists the keys of the blobs whose last `put` was before a time in epoch milliseconds. */
  list(before: number): AsyncIterable<string>;
  /**
   * Removes the blobs with these keys that are not in use, and returns their number. First puts the bytes of all of them aside, where no
   * `put` replaces them and `get` still finds them. Then calls `inUse` with the keys of those, and puts the bytes of the returned ones back.
   * So what `put` stores after `inUse` has looked up a key is never removed. If `inUse` throws, removes nothing.
   */
  remove(keys: string[], inUse: (keys: string[]) => Promise<ReadonlySet<string>>): Promise<number>;
  /**
   * Reads a marker: a small text that is stored beside the blobs. Its name consists of lower-case letters. Returns null if there is none.
   */
  marker(name: string): Promise<string | null>;
  /** Creates a marker durably unless it exists. Returns the stored text, which is the same for all concurrent calls. */
  mark(name: string, text: string): Promise<string>;
  /** Writes a marker durably, in the place of one that exists. A reader gets the old or the new text. */
  remark(name: string, text: string): Promise<void>;
  /** Cleans up after calls of `put` and `remove` that were interrupted before a time in epoch milliseconds. */
  tidy(before: number): Promise<void>;
  /** Checks that the store is writable: writes a small object durably and removes it again. Throws if this fails. */
  tryWrite(): Promise<void>;
  close(): Promise<void>;
}

import { createHash } from "node:crypto";
import type { Readable } from "node:stream";

/** What is known of the content of a blob before it is read: its key, its size in bytes, both or nothing. */
export interface Expected {
  key?: string;
  size?: number;
}

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

/**
 * A stored blob as `list` returned it. `generation` is a text that is different after each `put` of the same content, such as the inode
 * number and time of a file, or the entity tag of an object.
 */
export interface StoredBlob {
  key: string;
  generation: string;
}

/** A store for bytes. The key of a blob is the SHA-256 of its content as 64 hexadecimal digits, so that the same bytes are stored once. */
export interface Blobs {
  /**
   * Stores a stream durably. Returns its key and size in bytes. Stores nothing when the stream fails, when no space is left, or when the
   * bytes are not the expected ones: then it throws `OtherContent`, for a stream that is too long as soon as it is. If the blob exists,
   * resets its age and changes its generation, so that the sweep of unused blobs does not remove it before a row refers to it.
   */
  put(source: AsyncIterable<Uint8Array>, expected?: Expected): Promise<{ key: string; size: number }>;
  /** Opens a stream of the bytes from `start` to `end`, both included, or of all bytes. Returns null for an unknown key. */
  get(key: string, range?: { start: number; end: number }): Promise<Readable | null>;
  /** Returns the blob with a key as `list` does. Returns null if there is none, or if its last `put` was not before that time. */
  find(key: string, before: number): Promise<StoredBlob | null>;
  /** Lists the blobs whose last `put` was before a time in epoch milliseconds. */
  list(before: number): AsyncIterable<StoredBlob>;
  /**
   * Removes blobs that `list` returned. Keeps a blob that has been put again since then: comparing its generation and removing it is one
   * atomic step, even if another node puts the blob at the same time.
   */
  remove(blobs: StoredBlob[]): Promise<void>;
  /**
   * Reads a marker: a small text that is stored beside the blobs. Its name consists of lower-case letters. Returns null if there is none.
   */
  marker(name: string): Promise<string | null>;
  /** Creates a marker durably unless it exists. Returns the stored text, which is the same for all concurrent calls. */
  mark(name: string, text: string): Promise<string>;
  /** Cleans up after calls of `put` and `remove` that were interrupted before a time in epoch milliseconds. */
  tidy(before: number): Promise<void>;
  /** Checks that the store is writable: writes a small object durably and removes it again. Throws if this fails. */
  tryWrite(): Promise<void>;
  close(): Promise<void>;
}

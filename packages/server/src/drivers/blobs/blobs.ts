import type { Readable } from "node:stream";

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
   * Stores a stream durably. Returns its key and size in bytes. Stores nothing when the stream fails or no space is left. If the blob
   * exists, resets its age and changes its generation, so that the sweep of unused blobs does not remove it before a row refers to it.
   */
  put(source: AsyncIterable<Uint8Array>): Promise<{ key: string; size: number }>;
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

import type { Readable } from "node:stream";

/**
 * A stored blob as it was listed. Each `put` of its key gives it another generation, such as an inode with a time, an object version or an
 * entity tag.
 */
export interface StoredBlob {
  key: string;
  generation: string;
}

/** Stores bytes by the SHA-256 of their content, as 64 hexadecimal digits, so that the same bytes are stored once. */
export interface Blobs {
  /**
   * Stores a stream durably. Returns its key and size in bytes. Stores nothing when the stream fails or no space is left. If the blob
   * exists, its age and generation are renewed, so that no sweep removes it before a row refers to it.
   */
  put(source: AsyncIterable<Uint8Array>): Promise<{ key: string; size: number }>;
  /** Opens a stream of the bytes from `start` to `end`, both included, or of all bytes. Returns null for an unknown key. */
  get(key: string, range?: { start: number; end: number }): Promise<Readable | null>;
  /** Lists the blobs last put before a time in epoch milliseconds. */
  list(before: number): AsyncIterable<StoredBlob>;
  /**
   * Removes listed blobs. Keeps a blob that has been put again since it was listed: comparing its generation and removing it is one atomic
   * step, also with a `put` of another node.
   */
  remove(blobs: StoredBlob[]): Promise<void>;
  /** Reads a marker: a small text beside the blobs, under a name of lower-case letters. Returns null if there is none. */
  marker(name: string): Promise<string | null>;
  /** Creates a marker durably unless it exists. Returns its text, which is the same for all concurrent calls. */
  mark(name: string, text: string): Promise<string>;
  /** Cleans up after calls of `put` and `remove` that were interrupted before a time in epoch milliseconds. */
  tidy(before: number): Promise<void>;
  /** Writes a small object durably and removes it again. Throws if it cannot be written. */
  tryWrite(): Promise<void>;
  close(): Promise<void>;
}

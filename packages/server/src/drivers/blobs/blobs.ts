import type { Readable } from "node:stream";

/** A stored blob as it was listed. Each `put` of its key gives it another generation: an inode, an object version or an entity tag. */
export interface StoredBlob {
  key: string;
  generation: string;
}

/** Stores bytes by the SHA-256 of their content, as 64 hexadecimal digits, so that the same bytes are stored once. */
export interface Blobs {
  /**
   * Stores a stream durably. Returns its key and size in bytes. Stores nothing when the stream fails or no space is left. A blob that
   * is there already is new again, so that no sweep removes it before a row refers to it.
   */
  put(source: AsyncIterable<Uint8Array>): Promise<{ key: string; size: number }>;
  /** Opens the bytes from `start` to `end`, both included, or all of them. Null for an unknown key. */
  get(key: string, range?: { start: number; end: number }): Promise<Readable | null>;
  /** Lists the blobs last put before a time in epoch milliseconds. */
  list(before: number): AsyncIterable<StoredBlob>;
  /**
   * Removes blobs as they were listed. One that has been put again since has another generation and stays: the comparison and the
   * removal are one step, also against a `put` of another node.
   */
  remove(blobs: StoredBlob[]): Promise<void>;
  /** Reads a marker, a small named text beside the blobs. Null when there is none. Its name consists of lower-case letters. */
  marker(name: string): Promise<string | null>;
  /** Creates a marker durably if there is none. Returns its text; concurrent calls all get the same one. */
  mark(name: string, text: string): Promise<string>;
  /** Cleans up after calls of `put` and `remove` that were interrupted before a time in epoch milliseconds. */
  tidy(before: number): Promise<void>;
  /** Writes a small object durably and removes it again. Rejects when nothing can be written. */
  tryWrite(): Promise<void>;
  close(): Promise<void>;
}

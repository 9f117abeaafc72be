import type { Readable } from "node:stream";

/** Where bytes are kept: by the SHA-256 of their content, as 64 hexadecimal digits, so the same bytes are kept once. */
export interface Blobs {
  /** Keeps a stream durably; answers its key and size in bytes. Nothing is kept when the stream fails, or no space is left. */
  put(source: AsyncIterable<Uint8Array>): Promise<{ key: string; size: number }>;
  /** The bytes from `start` to `end`, both included, or all; null when nothing has this key. */
  get(key: string, range?: { start: number; end: number }): Promise<Readable | null>;
  /** Every key last put before `time` (epoch milliseconds). */
  olderThan(time: number): AsyncIterable<string>;
  /** Removes what is there of these keys and was last put before `time`: what has been put again meanwhile stays. */
  delete(keys: string[], time: number): Promise<void>;
  /** The text of a marker, a small named object beside the blobs; null when there is none. `name` is made of small letters. */
  marker(name: string): Promise<string | null>;
  /** Creates a marker durably if there is none; answers the text that it has now. Concurrent calls all get the same text. */
  mark(name: string, text: string): Promise<string>;
  /** Removes what interrupted `put` calls left behind and was last written before `time`. */
  tidy(time: number): Promise<void>;
  /** Writes a small object durably and removes it again; rejects when nothing can be written. */
  tryWrite(): Promise<void>;
  close(): Promise<void>;
}

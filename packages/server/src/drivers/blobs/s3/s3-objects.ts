import type { Readable } from "node:stream";

/** The bytes of an object: their SHA-256 as hexadecimal digits, their number, and a function that opens them anew for each attempt. */
export interface ObjectBody {
  hash: string;
  size: number;
  open(): Uint8Array | AsyncIterable<Uint8Array>;
}

/** A part of an object: the offsets of its first and its last byte. */
export interface ByteRange {
  start: number;
  end: number;
}

/** A name in a list, and when the object was written, in epoch milliseconds of the server. */
export interface ListedObject {
  name: string;
  modified: number;
}

/**
 * The objects of a bucket. An acknowledged write is seen by all later calls. Calls are sent again after passing failures, as far as that
 * is safe. @throws Unavailable if the server does not answer or refuses.
 */
export interface S3Objects {
  /**
   * Writes an object. With `unlessThere`, a server that knows the condition writes nothing if there is one with the name, and false is returned.
   * Other servers overwrite it, or refuse.
   */
  put(name: string, body: ObjectBody, unlessThere?: boolean): Promise<boolean>;
  /** Opens an object, or a part of it. Returns null if it is missing. */
  get(name: string, range?: ByteRange): Promise<Readable | null>;
  /** Copies an object. Returns false if it is missing. */
  copy(from: string, to: string): Promise<boolean>;
  /** Removes an object, or does nothing if it is missing. A lost request may take effect later. */
  remove(name: string): Promise<void>;
  /**
   * Removes an object by a single request, which takes effect at most `AS_OF_MS` after the time `at` (epoch milliseconds), or not at all. If it
   * rejects, the outcome is unknown.
   */
  removeAsOf(name: string, at: number): Promise<void>;
  /** Lists the objects whose names begin with a prefix, in the order of their names. */
  list(prefix: string): AsyncIterable<ListedObject>;
}

/** The time after which servers refuse a signature, in milliseconds. */
export const AS_OF_MS = 15 * 60_000;

import { Readable } from "node:stream";
import { LIMITS } from "@easel/protocol/limits";
import type { Call } from "./primitive.ts";

/** How many entries a slice has at most. */
const SLICE_ENTRIES = LIMITS.pageDefault.value;

/** How much text a slice holds at most, in characters, unless a single entry is longer. */
export const SLICE_LENGTH = 64 * 1024;

/** Consecutive entries of a list; `nextCursor` is null at its end. */
interface Slice<Entry> {
  entries: Entry[];
  nextCursor: string | null;
}

/** Reads at most `limit` entries after a cursor, for a caller whose rights it checks; null is the beginning of the page. */
export type ReadSlice<Entry> = (call: Call, limit: number, after: string | null) => Promise<Slice<Entry>>;

/**
 * A page of a list as JSON text. A page that is larger than one slice is read while it is sent, as fast as the client takes it, and
 * access is checked again before each slice.
 */
export async function listed<Entry>(
  call: Call,
  limit: number,
  read: ReadSlice<Entry>,
  textOf: (entry: Entry) => string,
): Promise<string | Readable> {
  let left = limit;
  let cursor: string | null = null;

  async function next(now: Call): Promise<string> {
    const { entries, nextCursor } = await read(now, Math.min(left, SLICE_ENTRIES), cursor);
    left -= entries.length;
    cursor = nextCursor;
    return entries.map(textOf).join(",");
  }
  const isOver = () => left === 0 || cursor === null;
  const end = () => `],"nextCursor":${JSON.stringify(cursor)}}`;

  let begin = `{"entries":[${await next(call)}`;
  if (isOver()) return begin + end();

  async function* text() {
    yield begin;
    begin = "";
    while (!isOver()) {
      const entries = await next(await call.readmit());
      if (entries !== "") yield `,${entries}`;
    }
    yield end();
  }
  // A reader that takes nothing costs two slices: one in the stream and one in the socket.
  return Readable.from(text(), { objectMode: false, highWaterMark: 1 });
}

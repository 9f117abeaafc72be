import { Readable } from "node:stream";
import { LIMITS } from "@easel/protocol/limits";
import type { Call } from "./primitive.ts";

/** The maximum number of entries in a slice. */
const SLICE_ENTRIES = LIMITS.pageDefault.value;

/** The maximum length of a slice's text in characters, unless a single entry is longer. */
export const SLICE_LENGTH = 64 * 1024;

/** Consecutive entries of a list. `nextCursor` is null at its end. */
interface Slice<Entry> {
  entries: Entry[];
  nextCursor: string | null;
}

/** Checks the caller's rights and reads at most `limit` entries after a cursor; null is the beginning of the page. */
export type ReadSlice<Entry> = (call: Call, limit: number, after: string | null) => Promise<Slice<Entry>>;

/**
 * Returns a page of a list as JSON, with its entries under `name`. A page that is larger than one slice is a stream, which is read as fast
 * as the client takes it. Access is checked again before each slice after the first.
 */
export async function streamList<Entry>(
  call: Call,
  limit: number,
  read: ReadSlice<Entry>,
  textOf: (entry: Entry) => string,
  name = "entries",
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

  let begin = `{"${name}":[${await next(call)}`;
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
  // A client that reads nothing costs the memory of two slices: one in the stream and one in the socket.
  return Readable.from(text(), { objectMode: false, highWaterMark: 1 });
}

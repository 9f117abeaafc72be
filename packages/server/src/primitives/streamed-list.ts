import { Readable } from "node:stream";
import { LIMITS } from "@easel/protocol/limits";
import type { Work } from "../async/work.ts";
import type { RuntimeCaller } from "./primitive.ts";

/** The maximum number of entries in a slice, the part of a page that is read from the database at a time. */
const SLICE_ENTRIES = LIMITS.pageDefault.value;

/**
 * The approximate maximum length, in characters, of the entries that are read from the database at a time. A single entry may be longer.
 */
export const SLICE_LENGTH = 64 * 1024;

/** Consecutive entries of a list. `nextCursor` is the cursor of the last entry, or null at the end of the list. */
interface Slice<Entry> {
  entries: Entry[];
  nextCursor: string | null;
}

/**
 * A function that checks the rights of the caller and reads at most `limit` entries. The first entry is the one after the cursor `after`,
 * or the first one of the page if `after` is null.
 */
export type ReadSlice<Entry> = (
  caller: RuntimeCaller,
  limit: number,
  after: string | null,
) => Promise<Slice<Entry>>;

const END = '],"nextCursor":';

/**
 * Splits a page that `streamList` has returned as text into the JSON texts of its entries, which commas separate, and the cursor. `name` is the
 * property of the entries.
 */
export function splitPage(page: string, name: string): { entries: string; nextCursor: string | null } {
  // In a JSON text, a quote within a string follows a backslash. So the last occurrence is no part of the cursor.
  const end = page.lastIndexOf(END);
  const nextCursor = JSON.parse(page.slice(end + END.length, -1)) as string | null;
  return { entries: page.slice(`{"${name}":[`.length, end), nextCursor };
}

/**
 * Returns a page of at most `limit` entries as JSON, under the property `name`. A page that takes more than one read of the database is a
 * stream, which reads further entries as fast as the client receives them, with a pause of `work`, and checks access again before each read (decision
 * 020).
 */
export async function streamList<Entry>(
  caller: RuntimeCaller,
  limit: number,
  read: ReadSlice<Entry>,
  textOf: (entry: Entry) => string,
  work: Work,
  name = "entries",
): Promise<string | Readable> {
  let left = limit;
  let cursor: string | null = null;

  let isEmpty = true;

  /** Reads the next slice. Returns the text of its entries, with a comma before it if there are earlier ones. */
  async function next(current: RuntimeCaller): Promise<string> {
    const { entries, nextCursor } = await read(current, Math.min(left, SLICE_ENTRIES), cursor);
    left -= entries.length;
    cursor = nextCursor;
    if (entries.length === 0) return "";
    const separator = isEmpty ? "" : ",";
    isEmpty = false;
    return separator + entries.map(textOf).join(",");
  }
  const isOver = () => left === 0 || cursor === null;
  const end = () => `${END}${JSON.stringify(cursor)}}`;

  let begin = `{"${name}":[${await next(caller)}`;
  if (isOver()) return begin + end();

  async function* text() {
    yield begin;
    begin = "";
    while (!isOver()) {
      await work.pause();
      const entries = await next(await caller.readmit());
      if (entries !== "") yield entries;
    }
    yield end();
  }
  // For a client that reads nothing, at most two slices are in memory: one in the stream and one in the socket.
  return Readable.from(text(), { objectMode: false, highWaterMark: 1 });
}

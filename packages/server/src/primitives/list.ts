import { Readable } from "node:stream";
import { LIMITS } from "@easel/protocol/limits";

/** So many entries are read at once. */
const SLICE = LIMITS.pageDefault.value;

/** Entries of a list, and the cursor of those that follow; null behind the last. */
interface Slice<Entry> {
  entries: Entry[];
  nextCursor: string | null;
}

/**
 * A page of a list as JSON text. One that is longer than usual is read while it is sent, as fast as the reader takes it: whole,
 * it could be 64 MiB. `read` is given how many entries to read, and after which; null stands for where the page begins.
 */
export async function listed<Entry>(
  limit: number,
  read: (limit: number, after: string | null) => Promise<Slice<Entry>>,
  textOf: (entry: Entry) => string,
): Promise<string | Readable> {
  const textsOf = ({ entries }: Slice<Entry>) => entries.map(textOf).join(",");
  const end = (nextCursor: string | null) => `],"nextCursor":${JSON.stringify(nextCursor)}}`;
  let slice = await read(Math.min(limit, SLICE), null);
  const begin = `{"entries":[${textsOf(slice)}`;
  if (limit <= SLICE || slice.nextCursor === null) return begin + end(slice.nextCursor);

  async function* text() {
    yield begin;
    for (let left = limit - SLICE; left > 0 && slice.nextCursor !== null; left -= SLICE) {
      slice = await read(Math.min(left, SLICE), slice.nextCursor);
      if (slice.entries.length > 0) yield `,${textsOf(slice)}`;
    }
    yield end(slice.nextCursor);
  }
  return Readable.from(text(), { objectMode: false });
}

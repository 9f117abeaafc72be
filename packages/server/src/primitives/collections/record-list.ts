import type { Right } from "@easel/protocol/types";
import type { Paged } from "../../http/query.ts";
import { cursorAt, type Position, parseCursor, type RecordQuery } from "./record-query.ts";
import type { RecordStore, StoredRecord } from "./store.ts";

/** The records of a sorted list that are read at once. Each can be as large as a value may be. */
const AT_ONCE = 20;

/**
 * The page of records that one request asks for, which is read in slices. A list that must sort all records of its author is sorted once: then its
 * slices read the records of the page by their ids, and leave out those that are gone.
 */
export class RecordList {
  readonly #query: RecordQuery;
  /** The positions of as many records as the page has, and of one more; undefined until they are read. */
  #sorted: Position[] | undefined;

  constructor(query: RecordQuery) {
    this.#query = query;
  }

  /** Reads at most `limit` records after a cursor, with the rights that the caller has now. Null: from the begin of the page. */
  async slice(
    records: RecordStore,
    read: Right,
    limit: number,
    after: string | null,
  ): Promise<Paged<StoredRecord>> {
    const { order, limit: most } = this.#query;
    const query = after === null ? this.#query : { ...this.#query, after: parseCursor(after, order) };
    if (!records.sortsAll(query, read)) return records.list({ ...query, limit }, read);
    const known = this.#sorted?.findIndex((each) => cursorAt(each, order) === after) ?? -1;
    // The page goes on behind what has been sorted if records of it are gone.
    const isBehind = known < 0 || known + 1 >= most;
    if (isBehind) this.#sorted = await records.positions(query, read);
    const sorted = this.#sorted ?? [];
    const begin = isBehind ? 0 : known + 1;
    const end = Math.min(begin + Math.min(limit, AT_ONCE), most, sorted.length);
    const entries = await records.among(
      sorted.slice(begin, end).map(({ id }) => id),
      read,
    );
    const last = sorted[end - 1];
    return {
      entries,
      nextCursor: last === undefined || end === sorted.length ? null : cursorAt(last, order),
    };
  }
}

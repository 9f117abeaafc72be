import type { Collection, CollectionRecord, RecordListOptions } from "../collections.ts";
import type { RecordChange } from "../realtime/watch.ts";
import type { Source } from "./live-data.ts";
import { share } from "./structural-sharing.ts";

/**
 * The records of a collection to show: a filter, an order, and `limit`, the number of records at first and for each further page (by
 * default 100).
 */
export type RecordQuery = Pick<RecordListOptions, "where" | "orderBy" | "limit">;

/** The records that have been read. `cursor` is where the next page begins, or null if there are no more records. */
export interface Records<Shown = CollectionRecord> {
  readonly records: Shown[];
  readonly cursor: string | null;
}

/** A change that makes the reader read the next page of records. */
export type More = { op: "more" };

const DEFAULT_LIMIT = 100;
/** The maximum number of records in a response. */
const MAX_LIMIT = 1000;
/** The maximum number of changed records for which the reader sends one request each. If there are more, it reads the list again. */
const MAX_SINGLE_READS = 5;

/** Whether a query has the newest or largest records first. */
export const isDescending = ({ orderBy }: RecordQuery) => orderBy?.startsWith("-") === true;

/**
 * Creates the functions `apply` and `read` of a source of records. If the query has no filter and sorts by creation, the id of a record shows
 * its place in the list. Then a change that has the record is applied, and otherwise only the changed records are read. With any other
 * query, the service decides which records belong to the list, and where.
 */
export function createRecordReader<Shown extends CollectionRecord>(
  collection: Pick<Collection, "get" | "list">,
  query: RecordQuery,
  toShown: (record: CollectionRecord) => Shown,
) {
  type Data = Records<Shown>;
  const { where, orderBy, limit = DEFAULT_LIMIT } = query;
  const isByCreation = where === undefined && /^-?createdAt$/.test(orderBy ?? "createdAt");

  const readPage = async (cursor: string | null, size: number): Promise<Data> => {
    const page = await collection.list({
      ...(where && { where }),
      ...(orderBy && { orderBy }),
      cursor,
      limit: size,
    });
    return { records: page.entries.map(toShown), cursor: page.nextCursor };
  };

  /** Reads the first `count` records, but never less than one page, and returns them with the cursor of the next page. */
  const readAll = async (count: number): Promise<Data> => {
    let data: Data = { records: [], cursor: null };
    let missing = Math.max(count, limit);
    do {
      const page = await readPage(data.cursor, Math.min(missing, MAX_LIMIT));
      data = { records: [...data.records, ...page.records], cursor: page.cursor };
      missing -= MAX_LIMIT;
    } while (data.cursor !== null && missing > 0);
    return data;
  };

  const isBefore = (one: string, other: string) => (isDescending(query) ? one > other : one < other);

  /**
   * Returns `data` with the current `record` at its place, or without the record with this id if `record` is undefined. Returns the same
   * object if nothing changes.
   */
  const place = (data: Data, id: string, record: CollectionRecord | undefined): Data => {
    const old = data.records.find((each) => each.id === id);
    const placed = record && share(old, toShown(record));
    if (placed === old) return data;
    if (placed && old)
      return { ...data, records: data.records.map((each) => (each === old ? placed : each)) };
    const others = data.records.filter((each) => each !== old);
    if (placed === undefined) return { ...data, records: others };
    const next = others.findIndex((each) => isBefore(id, each.id));
    return { ...data, records: others.toSpliced(next < 0 ? others.length : next, 0, placed) };
  };

  /** Whether the place of a record is before the end of the pages that have been read. */
  const isInside = ({ records, cursor }: Data, id: string) => {
    const last = records.at(-1);
    return cursor === null || (last !== undefined && !isBefore(last.id, id));
  };

  const apply = (data: Data, change: RecordChange | More) => {
    if (!("id" in change)) return undefined;
    const { op, id, record } = change;
    if (op === "delete") return { data: place(data, id, undefined), isComplete: true };
    const isKnown = data.records.some((each) => each.id === id);
    if (record === undefined || !(isKnown || isByCreation)) return undefined;
    const next = isKnown || isInside(data, id) ? place(data, id, record) : data;
    return { data: next, isComplete: isByCreation || next === data };
  };

  const read = async (data: Data, changes: (RecordChange | More)[]): Promise<Data> => {
    const latest = new Map<string, string>();
    for (const change of changes) if ("id" in change) latest.set(change.id, change.op);
    const written = [...latest.keys()].filter((id) => latest.get(id) === "set");
    const isList =
      changes.some(({ op }) => op === "resync") ||
      (written.length > 0 && !isByCreation) ||
      written.length > MAX_SINGLE_READS;

    let next = data;
    if (isList) next = await readAll(data.records.length);
    else {
      const ids = written.filter((id) => isInside(data, id));
      const records = await Promise.all(ids.map((id) => collection.get(id)));
      for (const [index, id] of ids.entries()) next = place(next, id, records[index]);
    }
    for (const [id, op] of latest) if (op === "delete") next = place(next, id, undefined);
    if (next.cursor === null || !changes.some(({ op }) => op === "more")) return next;
    const page = await readPage(next.cursor, limit);
    return { records: [...next.records, ...page.records], cursor: page.cursor };
  };

  return { apply, read };
}

/** Creates a source of the records of a query, as the service returns them. */
export function createRecordsSource(
  collection: Pick<Collection, "get" | "list" | "watch">,
  query: RecordQuery,
): Source<Records, RecordChange> {
  return {
    empty: { records: [], cursor: null },
    watch: collection.watch,
    ...createRecordReader(collection, query, (record) => record),
    share: (previous, next) => shareRecords(previous, next, ({ id }) => id),
  };
}

/** Returns the new records, but takes from `previous` each record that is equal. Returns `previous` if nothing has changed. */
export function shareRecords<Shown extends CollectionRecord>(
  previous: Records<Shown>,
  { records, cursor }: Records<Shown>,
  keyOf: (record: Shown) => string,
): Records<Shown> {
  const known = new Map(previous.records.map((record) => [keyOf(record), record]));
  const shared = records.map((record) => share(known.get(keyOf(record)), record));
  const isSame =
    shared.length === previous.records.length &&
    shared.every((record, index) => record === previous.records[index]);
  if (isSame && cursor === previous.cursor) return previous;
  return { records: isSame ? previous.records : shared, cursor };
}

import type { CollectionRecord, RecordChange } from "@easel/sdk";
import type { LiveRecord, RecordCollection, RecordQuery, Records } from "./live-records.ts";

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
 * Creates a function that returns the data with all `changes`. If the query has no filter and sorts by creation, it reads only the records
 * that have changed: their ids show their place in the list. Otherwise it reads the list again.
 */
export function createRecordReader(
  collection: Pick<RecordCollection, "get" | "list">,
  query: RecordQuery,
  toLive: (record: CollectionRecord) => LiveRecord,
) {
  const { where, orderBy, limit = DEFAULT_LIMIT } = query;
  const isByCreation = where === undefined && /^-?createdAt$/.test(orderBy ?? "createdAt");

  const readPage = async (cursor: string | null, size: number): Promise<Records> => {
    const page = await collection.list({
      ...(where && { where }),
      ...(orderBy && { orderBy }),
      cursor,
      limit: size,
    });
    return { records: page.entries.map(toLive), cursor: page.nextCursor };
  };

  /** Reads the first `count` records, but never less than one page, and returns them with the cursor of the next page. */
  const readAll = async (count: number): Promise<Records> => {
    let data: Records = { records: [], cursor: null };
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
   * Returns a copy of `data` with the current `record` at its place. If `record` is undefined, the copy does not have the record with this
   * id.
   */
  const place = (data: Records, id: string, record: CollectionRecord | undefined): Records => {
    const others = data.records.filter((each) => each.id !== id);
    if (record === undefined) return { ...data, records: others };
    const next = others.findIndex((each) => isBefore(id, each.id));
    return { ...data, records: others.toSpliced(next < 0 ? others.length : next, 0, toLive(record)) };
  };

  /** Whether the place of a record is before the end of the pages that have been read. */
  const isInside = ({ records, cursor }: Records, id: string) => {
    const last = records.at(-1);
    return cursor === null || (last !== undefined && !isBefore(last.id, id));
  };

  return async (data: Records, changes: (RecordChange | More)[]): Promise<Records> => {
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
}

import type { CollectionRecord, RecordChange } from "@easel/sdk";
import type { LiveRecord, RecordCollection, RecordQuery, Records } from "./live-records.ts";

/** The next page is to be read. */
export type More = { op: "more" };

const DEFAULT_LIMIT = 100;
/** The maximum number of records in a response. */
const MAX_LIMIT = 1000;
/** The maximum number of changed records that are read one by one; a list is one request. */
const MAX_SINGLE_READS = 5;

/** Whether a query has the newest or largest records first. */
export const isDescending = ({ orderBy }: RecordQuery) => orderBy?.startsWith("-") === true;

/**
 * Creates the function that reads what has changed. In order of creation and without a filter, a change of a record reads this record only:
 * its place is known, because ids sort in the order of creation. Otherwise the service decides where the record belongs, and the list is read.
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

  /** Reads the first records, as many as `count` and at least a page. */
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

  /** Returns data with a record as the service has it now, which is undefined if there is none. */
  const place = (data: Records, id: string, record: CollectionRecord | undefined): Records => {
    const others = data.records.filter((each) => each.id !== id);
    if (record === undefined) return { ...data, records: others };
    const next = others.findIndex((each) => isBefore(id, each.id));
    return { ...data, records: others.toSpliced(next < 0 ? others.length : next, 0, toLive(record)) };
  };

  /** Whether a record belongs to the pages that have been read. */
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

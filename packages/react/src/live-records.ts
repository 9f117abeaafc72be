import type { Collection, CollectionRecord, Json, RecordChange, RecordListOptions } from "@easel/sdk";
import type { Store } from "./external-store.ts";
import { createLive, type LiveState } from "./live-data.ts";
import { sum } from "./live-value.ts";
import { createRecordReader, isDescending, type More } from "./record-reader.ts";
import { share } from "./structural-sharing.ts";

/**
 * The records of a collection to show: a filter, an order, and `limit`, the number of records at first and for each `loadMore` (by default
 * 100).
 */
export type RecordQuery = Pick<RecordListOptions, "where" | "orderBy" | "limit">;

/** A record as a component sees it. */
export interface LiveRecord<Value = Json> extends CollectionRecord<Value> {
  /**
   * The `key` for React: the id of the record. A record that this page has created has a `key` such as `new-0`, which stays the same when
   * the service gives the record its id.
   */
  readonly key: string;
  /** True from a write to the record until the response of the service. In that time a new record has a provisional `id`. */
  readonly isPending: boolean;
}

/** The records that have been read. `cursor` is where the next page begins, or null if there are no more records. */
export interface Records {
  readonly records: LiveRecord[];
  readonly cursor: string | null;
}

/** The functions of a collection that `createLiveRecords` calls. */
export type RecordCollection = Pick<
  Collection,
  "create" | "get" | "update" | "delete" | "list" | "increment" | "watch"
>;

export interface LiveRecords extends Store<LiveState<Records>> {
  isUsed(): boolean;
  refetch(): void;
  /** Reads the next page of records and adds it to the data, if there is one. */
  loadMore(): void;
  create(value: Json): Promise<CollectionRecord>;
  update(id: string, value: Json): Promise<CollectionRecord>;
  increment(id: string, by?: number): Promise<number>;
  remove(id: string): Promise<void>;
}

/**
 * Creates a store of the records that match a query. `author` returns the id of the viewer, or undefined if it is not read yet. It is the
 * `authorId` of a new record until the service has responded.
 */
export function createLiveRecords(
  collection: RecordCollection,
  query: RecordQuery,
  author: () => string | undefined,
): LiveRecords {
  /** For each record that this page has created: its id from the service, and its `key`. */
  const keys = new Map<string, string>();
  /** For each record that this page has created: its `key`, and its id, which resolves when the service has created the record. */
  const ids = new Map<string, Promise<string>>();
  const keyOf = (id: string) => keys.get(id) ?? id;
  const idOf = (id: string) => ids.get(id) ?? Promise.resolve(id);
  const toLive = (record: CollectionRecord): LiveRecord => ({
    ...record,
    key: keyOf(record.id),
    isPending: false,
  });
  const readChanges = createRecordReader(collection, query, toLive);
  let isMoreRequested = false;
  const live = createLive<Records, RecordChange | More>({
    empty: { records: [], cursor: null },
    watch: (onChange, onError) => collection.watch(onChange, onError),
    async read(data: Records, changes: (RecordChange | More)[]) {
      try {
        return await readChanges(data, changes);
      } finally {
        if (changes.some(({ op }) => op === "more")) isMoreRequested = false;
      }
    },
    share: shareRecords,
  });

  /**
   * Sends a write to a record and shows its effect. `change` returns the record as the write changes it, and is undefined for a deletion.
   * `confirm` returns the function that replaces `change` when the service has responded.
   */
  const write = <Result>(
    id: string,
    change: ((record: LiveRecord) => LiveRecord) | undefined,
    send: (id: string) => Promise<Result>,
    confirm = (_: Result): typeof change => change && ((record) => ({ ...change(record), isPending: false })),
  ) => {
    const key = keyOf(id);
    const apply = (changeOne: typeof change) => (data: Records) => ({
      ...data,
      records: data.records.flatMap((record) =>
        record.key !== key ? record : changeOne ? changeOne(record) : [],
      ),
    });
    let sent: string | undefined;
    return live.write({
      apply: apply(change),
      async send() {
        sent = await idOf(id);
        return send(sent);
      },
      confirm: (result) => apply(confirm(result)),
      touched: (answer): RecordChange[] =>
        sent === undefined ? [] : [{ op: change === undefined && answer ? "delete" : "set", id: sent }],
    });
  };

  return {
    ...live,

    loadMore() {
      if (isMoreRequested || live.getState().data.cursor === null) return;
      isMoreRequested = true;
      live.change({ op: "more" });
    },

    create(value) {
      const key = `new-${ids.size}`;
      const draft = { id: key, authorId: author() ?? "", value, updatedAt: Date.now() };
      const shown = (record: LiveRecord) => (data: Records) => ({
        ...data,
        records: isDescending(query) ? [record, ...data.records] : [...data.records, record],
      });
      const promise = live.write({
        apply: shown({ ...draft, key, isPending: true }),
        send: () => collection.create(value),
        confirm(record) {
          keys.set(record.id, key);
          return shown(toLive(record));
        },
        touched: (answer): RecordChange[] => (answer ? [{ op: "set", id: answer.result.id }] : []),
      });
      const id = promise.then((record) => record.id);
      id.catch(() => {});
      ids.set(key, id);
      return promise;
    },

    update: (id, value) =>
      write(
        id,
        (record) => ({ ...record, value, isPending: true }),
        (sent) => collection.update(sent, value),
        (result) => () => toLive(result),
      ),

    increment: (id, by = 1) =>
      write(
        id,
        (record) => ({ ...record, value: sum(record.value, by), isPending: true }),
        (sent) => collection.increment(sent, by),
        (value) => (record) => ({ ...record, value, isPending: false }),
      ),

    remove: (id) => write(id, undefined, (sent) => collection.delete(sent)),
  };
}

/** Returns the new records, but takes from `previous` each record that is equal. Returns `previous` if nothing has changed. */
function shareRecords(previous: Records, { records, cursor }: Records): Records {
  const known = new Map(previous.records.map((record) => [record.key, record]));
  const shared = records.map((record) => share(known.get(record.key), record));
  const isSame =
    shared.length === previous.records.length &&
    shared.every((record, index) => record === previous.records[index]);
  if (isSame && cursor === previous.cursor) return previous;
  return { records: isSame ? previous.records : shared, cursor };
}

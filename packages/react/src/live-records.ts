import type { Collection, CollectionRecord, Json, RecordChange, RecordListOptions } from "@easel/sdk";
import type { Store } from "./external-store.ts";
import { createLive, type LiveState } from "./live-data.ts";
import { sum } from "./live-value.ts";
import { createRecordReader, isDescending, type More } from "./record-reader.ts";
import { share } from "./structural-sharing.ts";

/** Which records of a collection are shown, in which order, and how many at first and with each `loadMore`: 100 by default. */
export type RecordQuery = Pick<RecordListOptions, "where" | "orderBy" | "limit">;

/** A record as a component sees it. */
export interface LiveRecord<Value = Json> extends CollectionRecord<Value> {
  /**
   * The `key` for React. It stays the same when the service replaces the id of a new record. For other records it is the id.
   */
  readonly key: string;
  /** Whether the service has not confirmed the last write yet. A new record has a provisional `id` until then. */
  readonly isPending: boolean;
}

/** The records that have been read. `cursor` is null if there are no more. */
export interface Records {
  readonly records: LiveRecord[];
  readonly cursor: string | null;
}

/** The part of a collection that is used. */
export type RecordCollection = Pick<
  Collection,
  "create" | "get" | "update" | "delete" | "list" | "increment" | "watch"
>;

export interface LiveRecords extends Store<LiveState<Records>> {
  isUsed(): boolean;
  refetch(): void;
  /** Reads the next page, if there is one. */
  loadMore(): void;
  create(value: Json): Promise<CollectionRecord>;
  update(id: string, value: Json): Promise<CollectionRecord>;
  increment(id: string, by?: number): Promise<number>;
  remove(id: string): Promise<void>;
}

/**
 * Creates the live records of a query. `author` returns the id of the viewer, if it is known, for records that the service has not confirmed
 * yet.
 */
export function createLiveRecords(
  collection: RecordCollection,
  query: RecordQuery,
  author: () => string | undefined,
): LiveRecords {
  /** The keys of the records that were created here, by id. The key of all others is the id. */
  const keys = new Map<string, string>();
  /** The ids of the records that were created here, by key. */
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

  /** Writes a record. `change` is what the write makes of it, or undefined if it deletes the record. */
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

/** Keeps the identity of each equal record, and of the array if nothing in it has changed. */
function shareRecords(previous: Records, { records, cursor }: Records): Records {
  const known = new Map(previous.records.map((record) => [record.key, record]));
  const shared = records.map((record) => share(known.get(record.key), record));
  const isSame =
    shared.length === previous.records.length &&
    shared.every((record, index) => record === previous.records[index]);
  if (isSame && cursor === previous.cursor) return previous;
  return { records: isSame ? previous.records : shared, cursor };
}

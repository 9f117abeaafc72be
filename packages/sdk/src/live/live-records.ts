import type { Json } from "@easel/protocol/types";
import type { Collection, CollectionRecord, RecordWriteOptions } from "../collections.ts";
import type { RecordChange } from "../realtime/watch.ts";
import { createLive, type LiveState } from "./live-data.ts";
import { sum } from "./live-value.ts";
import {
  createRecordReader,
  isDescending,
  type More,
  type RecordQuery,
  type Records,
  shareRecords,
} from "./record-reader.ts";
import type { Store } from "./store.ts";

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

/** The functions of a collection that `createLiveRecords` calls. */
export type RecordCollection = Pick<
  Collection,
  "create" | "get" | "update" | "delete" | "list" | "increment" | "watch"
>;

type Data = Records<LiveRecord>;

export interface LiveRecords extends Store<LiveState<Data>> {
  isUsed(): boolean;
  refetch(): void;
  /** Reads the next page of records and adds it to the data, if there is one. */
  loadMore(): void;
  create(value: Json): Promise<CollectionRecord>;
  update(id: string, value: Json, options?: RecordWriteOptions): Promise<CollectionRecord>;
  increment(id: string, by?: number): Promise<number>;
  remove(id: string, options?: RecordWriteOptions): Promise<void>;
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
  const reader = createRecordReader(collection, query, toLive);
  let isMoreRequested = false;
  const live = createLive<Data, RecordChange | More>({
    empty: { records: [], cursor: null },
    watch: (onChange, onError) => collection.watch(onChange, onError),
    async read(data: Data, changes: (RecordChange | More)[]) {
      try {
        return await reader.read(data, changes);
      } finally {
        if (changes.some(({ op }) => op === "more")) isMoreRequested = false;
      }
    },
    apply: reader.apply,
    share: (previous, next) => shareRecords(previous, next, ({ key }) => key),
  });

  /**
   * Sends a write to a record and shows its effect. `change` returns the record as the write changes it, and is undefined for a deletion.
   * `confirm` returns the function that replaces `change` when the service has responded. `stored` returns the record as stored, if the
   * response has it.
   */
  const write = <Result>(
    id: string,
    change: ((record: LiveRecord) => LiveRecord) | undefined,
    send: (id: string) => Promise<Result>,
    confirm = (_: Result): typeof change => change && ((record) => ({ ...change(record), isPending: false })),
    stored: (result: Result) => CollectionRecord | undefined = () => undefined,
  ) => {
    const key = keyOf(id);
    const apply = (changeOne: typeof change) => (data: Data) => ({
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
      touched(answer): RecordChange[] {
        if (sent === undefined) return [];
        if (change === undefined && answer) return [{ op: "delete", id: sent }];
        const record = answer && stored(answer.result);
        return [{ op: "set", id: sent, ...(record && { record }) }];
      },
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
      const shown = (record: LiveRecord) => (data: Data) => ({
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
        touched: (answer): RecordChange[] =>
          answer ? [{ op: "set", id: answer.result.id, record: answer.result }] : [],
      });
      const id = promise.then((record) => record.id);
      id.catch(() => {});
      ids.set(key, id);
      return promise;
    },

    update: (id, value, options) =>
      write(
        id,
        (record) => ({ ...record, value, isPending: true }),
        (sent) => collection.update(sent, value, options),
        (result) => () => toLive(result),
        (result) => result,
      ),

    increment: (id, by = 1) =>
      write(
        id,
        (record) => ({ ...record, value: sum(record.value, by), isPending: true }),
        (sent) => collection.increment(sent, by),
        (value) => (record) => ({ ...record, value, isPending: false }),
      ),

    remove: (id, options) => write(id, undefined, (sent) => collection.delete(sent, options)),
  };
}

import type { CollectionRecord, Declared, EaselError, Json, RecordWriteOptions } from "@easel/sdk";
import type { LiveRecord, RecordQuery } from "@easel/sdk/live";
import { useMemo } from "react";
import { useStores } from "./easel-provider.ts";
import { useStore } from "./use-store.ts";

/** The collections that the page has declared in `CanvasTypes`, with the types of their values. */
type Collections = Declared<"collections">;

/**
 * The result of `useCollection`. `data` is empty until the records are read, and a record that has not changed stays the same object. A
 * function that writes shows the write at once. If the service refuses it, the function removes the write from `data` and rejects.
 */
export interface CollectionResult<Value> {
  data: LiveRecord<Value>[];
  /** The error of the last write. If that has none: the error of the last read or of the watch, or undefined. */
  error: EaselError | undefined;
  isLoading: boolean;
  /** Whether there are records after those in `data`. */
  hasMore: boolean;
  /** Adds the next page to `data`. */
  loadMore(): void;
  /** Creates a record. Resolves with the record that the service has stored, with its id. */
  create(value: Value): Promise<CollectionRecord<Value>>;
  /**
   * Replaces the value of a record by `next`. If `next` is a function, calls it with the current value and stores what it returns. With
   * `expectedUpdatedAt`, only if the service has no later change of the record; otherwise rejects with `RECORD_CHANGED`.
   */
  update(
    id: string,
    next: Value | ((current: Value) => Value),
    options?: RecordWriteOptions,
  ): Promise<CollectionRecord<Value>>;
  /** Adds `by`, by default 1, to a record whose value is a number. Resolves with the sum. */
  increment(id: string, by?: number): Promise<number>;
  /** Deletes a record, with `expectedUpdatedAt` on the same condition as `update`. */
  remove(id: string, options?: RecordWriteOptions): Promise<void>;
  /** Reads the records again. If an error has ended the watch, starts a new one. */
  refetch(): void;
}

/**
 * Returns the records of a collection and functions that write them. The component renders again when a record changes.
 * @example const { data: ideas, create } = useCollection("ideas", { orderBy: "-createdAt" });
 */
export function useCollection<Name extends keyof Collections & string>(
  name: Name,
  query?: RecordQuery,
): CollectionResult<Collections[Name]>;
export function useCollection<Value = Json>(name: string, query?: RecordQuery): CollectionResult<Value>;
export function useCollection(name: string, query: RecordQuery = {}): CollectionResult<Json> {
  const store = useStores().records(name, query);
  const { data, error, isLoading } = useStore(store);
  const functions = useMemo(
    () => ({
      loadMore: store.loadMore,
      create: store.create,
      update(id: string, next: Json | ((current: Json) => Json), options?: RecordWriteOptions) {
        if (typeof next !== "function") return store.update(id, next, options);
        const { records } = store.getState().data;
        const record = records.find((each) => each.id === id || each.key === id);
        return store.update(id, next(record?.value ?? null), options);
      },
      increment: store.increment,
      remove: store.remove,
      refetch: store.refetch,
    }),
    [store],
  );
  return { data: data.records, error, isLoading, hasMore: data.cursor !== null, ...functions };
}

import type { EaselError, Json } from "@easel/sdk";
import { useMemo } from "react";
import { useStores } from "./easel-provider.ts";
import type { Scope } from "./stores.ts";
import { useLatest } from "./use-latest.ts";
import { useStore } from "./use-store.ts";

/**
 * Options of `useKv`. `initial` is the `data` while the key does not exist. `scope` is `shared` for `easel.kv` (the default) or `user` for
 * `easel.kv.user`.
 */
export interface KvOptions<Initial> {
  initial?: Initial;
  scope?: Scope;
}

/**
 * The result of `useKv`. `data` is the option `initial` while the key does not exist or is not read yet. A function that writes shows the
 * write at once. If the service refuses it, the function removes the write from `data` and rejects.
 */
export interface KvResult<Value, Current> {
  data: Current;
  /** The error of the last write. If that has none: the error of the last read or of the watch, or undefined. */
  error: EaselError | undefined;
  isLoading: boolean;
  /** Stores `next`. If `next` is a function, calls it with the current value and stores what it returns. */
  set(next: Value | ((current: Current) => Value)): Promise<void>;
  /** Adds `by`, by default 1, to the value, which must be a number. A key that does not exist counts as 0. Resolves with the sum. */
  increment(by?: number): Promise<number>;
  /** Deletes the key. */
  remove(): Promise<void>;
  /** Reads the value again. If an error has ended the watch, starts a new one. */
  refetch(): void;
}

/**
 * Returns the value of a key and functions that write it. The component renders again when the value changes.
 * @example const { data: votes, increment } = useKv("votes", { initial: 0 });
 */
export function useKv<Value = Json>(
  key: string,
  options: KvOptions<Value> & { initial: Value },
): KvResult<Value, Value>;
export function useKv<Value = Json>(
  key: string,
  options?: KvOptions<undefined>,
): KvResult<Value, Value | undefined>;
export function useKv(
  key: string,
  { initial, scope = "shared" }: KvOptions<Json | undefined> = {},
): KvResult<Json, Json | undefined> {
  const store = useStores().value(key, scope);
  const { data, error, isLoading } = useStore(store);
  const latest = useLatest(initial);
  const writes = useMemo(
    () => ({
      set: (next: Json | ((current: Json | undefined) => Json)) =>
        store.set(typeof next === "function" ? next(store.getState().data ?? latest.current) : next),
      increment: store.increment,
      remove: store.remove,
      refetch: store.refetch,
    }),
    [store, latest],
  );
  return { data: data ?? initial, error, isLoading, ...writes };
}

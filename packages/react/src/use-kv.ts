import type { EaselError, Json } from "@easel/sdk";
import { useMemo } from "react";
import { useStores } from "./easel-provider.ts";
import type { Scope } from "./stores.ts";
import { useLatest } from "./use-latest.ts";
import { useStore } from "./use-store.ts";

/** Options of `useKv`: what `data` is while the key does not exist, and the scope (`shared` is `easel.kv`, `user` is `easel.kv.user`). */
export interface KvOptions<Initial> {
  initial?: Initial;
  scope?: Scope;
}

/**
 * The result of `useKv`. `Current` is the type of `data`, which is the option `initial`, or undefined, while the key does not exist or is not
 * read yet. The functions show a write at once, and take it back and reject if the service refuses it. They stay the same.
 */
export interface KvResult<Value, Current> {
  data: Current;
  /** The error of the last write, or else of the last read. */
  error: EaselError | undefined;
  isLoading: boolean;
  /** Stores a value, or what a function makes of the current one. */
  set(next: Value | ((current: Current) => Value)): Promise<void>;
  /** Adds to a number, from 0 if the key does not exist. Resolves with the sum. */
  increment(by?: number): Promise<number>;
  /** Deletes the key. */
  remove(): Promise<void>;
  /** Reads again, and watches again if an error has ended the watch. */
  refetch(): void;
}

/**
 * Returns the value of a key, live, and functions that write it.
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

import type { Json, KvChange, KvScope } from "@easel/sdk";
import type { Store } from "./external-store.ts";
import { createLive, type LiveState } from "./live-data.ts";
import { share } from "./structural-sharing.ts";

/** The functions of `easel.kv` or `easel.kv.user` that `createLiveValue` calls. */
export type ValueScope = Pick<KvScope, "get" | "set" | "increment" | "delete" | "watch">;

/** A store with the value of a key. The value is undefined if the key does not exist. */
export interface LiveValue extends Store<LiveState<Json | undefined>> {
  isUsed(): boolean;
  refetch(): void;
  set(value: Json): Promise<void>;
  increment(by?: number): Promise<number>;
  remove(): Promise<void>;
}

const WRITTEN = (): KvChange[] => [{ op: "resync" }];

/**
 * Creates a store with the value of a key. It watches all keys of the scope, so that all values of a scope share one watch: a connection
 * may have no more than 64 watches and channels.
 */
export function createLiveValue(scope: ValueScope, key: string): LiveValue {
  const live = createLive<Json | undefined, KvChange>({
    empty: undefined,
    watch: (onChange, onError) =>
      scope.watch(
        "",
        (change) => {
          if (change.op === "resync" || change.key === key) onChange(change);
        },
        onError,
      ),
    read: () => scope.get(key),
    share,
  });

  const replace = (value: Json | undefined, send: () => Promise<void>) =>
    live.write({ apply: () => value, send, confirm: () => () => value, touched: WRITTEN });

  return {
    ...live,
    set: (value) => replace(value, () => scope.set(key, value as string)),
    remove: () => replace(undefined, () => scope.delete(key)),
    increment: (by = 1) =>
      live.write({
        apply: (value) => sum(value, by),
        send: () => scope.increment(key, by),
        confirm: (result) => () => result,
        touched: WRITTEN,
      }),
  };
}

/**
 * Returns the value that the service will compute for `increment`. Undefined counts as 0. A value that is not a number is returned
 * unchanged.
 */
export function sum(value: Json | undefined, by: number): Json {
  if (value === undefined) return by;
  return typeof value === "number" ? value + by : value;
}

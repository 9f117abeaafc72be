import type { Json } from "@easel/protocol/types";
import type { KvScope } from "../kv.ts";
import type { KvChange } from "../realtime/watch.ts";
import { createLive, type LiveState } from "./live-data.ts";
import type { Store } from "./store.ts";
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
    apply(data, change) {
      if (change.op === "delete") return { data: undefined, isComplete: true };
      if (change.op === "resync" || change.value === undefined) return undefined;
      return { data: share(data, change.value), isComplete: true };
    },
    read: () => scope.get(key),
    share,
  });

  /** Returns the change for a write after which the key has a value, or does not exist. A failed write may have changed the key or not. */
  const writtenAs = (value: Json | undefined, isAnswered: boolean): KvChange[] => {
    if (!isAnswered) return [{ op: "set", key }];
    return [value === undefined ? { op: "delete", key } : { op: "set", key, value }];
  };

  const replace = (value: Json | undefined, send: () => Promise<void>) =>
    live.write({
      apply: () => value,
      send,
      confirm: () => () => value,
      touched: (answer) => writtenAs(value, answer !== undefined),
    });

  return {
    ...live,
    set: (value) => replace(value, () => scope.set(key, value as string)),
    remove: () => replace(undefined, () => scope.delete(key)),
    increment: (by = 1) =>
      live.write({
        apply: (value) => sum(value, by),
        send: () => scope.increment(key, by),
        confirm: (result) => () => result,
        touched: (answer) => writtenAs(answer?.result, answer !== undefined),
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

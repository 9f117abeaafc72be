import type { Easel, Identity } from "@easel/sdk";
import {
  createLive,
  createLiveRecords,
  createLiveValue,
  type Live,
  type LiveRecords,
  type LiveValue,
  type RecordQuery,
} from "@easel/sdk/live";
import { createCache } from "./cache.ts";
import { createLiveChannel, type LiveChannel } from "./live-channel.ts";
import { createLivePhase, type LivePhase } from "./live-phase.ts";

/** The parts of the SDK that the hooks use. */
export type EaselParts = Pick<Easel, "me" | "kv" | "realtime">;

/** A scope of keys: `shared` is `easel.kv`, `user` is `easel.kv.user`. */
export type Scope = "shared" | "user";

/** The stores of one canvas. Each is created at its first use, and all components share it. */
export interface Stores {
  me(): Live<Identity | undefined, never>;
  value(key: string, scope: Scope): LiveValue;
  records(name: string, query: RecordQuery): LiveRecords;
  phase(name: string): LivePhase;
  channel(name: string): LiveChannel;
}

const known = new WeakMap<EaselParts, Stores>();

/** Returns the stores of the canvas that `easel` belongs to: the same object each time. */
export function storesOf(easel: EaselParts): Stores {
  const stores = known.get(easel) ?? createStores(easel);
  known.set(easel, stores);
  return stores;
}

function createStores({ me, kv, realtime }: EaselParts): Stores {
  const cache = createCache();
  const viewer = createLive<Identity | undefined, never>({
    empty: undefined,
    read: () => me(),
    share: (_, next) => next,
  });

  return {
    me: () => viewer,
    value: (key, scope) =>
      cache.get(`value ${scope} ${key}`, () => createLiveValue(scope === "user" ? kv.user : kv, key)),
    records: (name, query) =>
      cache.get(`records ${JSON.stringify([name, query])}`, () =>
        createLiveRecords(kv.collection(name), query, () => viewer.getState().data?.id),
      ),
    phase: (name) => cache.get(`phase ${name}`, () => createLivePhase(kv.collection(name))),
    channel: (name) => cache.get(`channel ${name}`, () => createLiveChannel(realtime, name)),
  };
}

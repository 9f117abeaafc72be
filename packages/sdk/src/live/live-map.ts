import type { Json, KvPage } from "@easel/protocol/types";
import type { KvScope } from "../kv.ts";
import type { KvChange } from "../realtime/watch.ts";
import type { Source } from "./live-data.ts";
import { share } from "./structural-sharing.ts";

/** The maximum number of keys in a response. */
const MAX_LIMIT = 1_000;
/** The maximum number of changed keys for which one request each is sent. If there are more, the list is read again. */
const MAX_SINGLE_READS = 5;

/** Keys and their values, in the order of the keys. */
export type Values = ReadonlyMap<string, Json>;

/** Creates a source of the keys of a scope that begin with `prefix`, and of their values. */
export function createMapSource(
  scope: Pick<KvScope, "get" | "list" | "watch">,
  prefix: string,
): Source<Values, KvChange> {
  const readAll = async (): Promise<Values> => {
    const values = new Map<string, Json>();
    let cursor: string | null = null;
    do {
      const page: KvPage = await scope.list({ prefix, cursor, limit: MAX_LIMIT });
      for (const { key, value } of page.entries) values.set(key, value);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return values;
  };

  return {
    empty: new Map(),
    watch: (onChange, onError) => scope.watch(prefix, onChange, onError),

    apply(data, change) {
      if (change.op === "resync" || (change.op === "set" && change.value === undefined)) return undefined;
      return { data: place(data, change.key, change.value), isComplete: true };
    },

    async read(data, changes) {
      const keys = new Set(changes.flatMap((change) => (change.op === "resync" ? [] : [change.key])));
      if (keys.size > MAX_SINGLE_READS || changes.some(({ op }) => op === "resync")) return readAll();
      const read = await Promise.all([...keys].map(async (key) => [key, await scope.get(key)] as const));
      return read.reduce((values, [key, value]) => place(values, key, value), data);
    },

    share(previous, next) {
      const shared = [...next].map(([key, value]) => [key, share(previous.get(key), value)] as const);
      const old = [...previous];
      const isSame =
        shared.length === old.length &&
        shared.every(([key, value], index) => key === old[index]?.[0] && Object.is(value, old[index][1]));
      return isSame ? previous : new Map(shared);
    },
  };
}

/** Returns the values with the value of a key, or without the key if `value` is undefined. Returns the same map if nothing changes. */
function place(values: Values, key: string, value: Json | undefined): Values {
  const old = values.get(key);
  const placed = value === undefined ? undefined : share(old, value);
  if (placed === old) return values;
  const next = new Map(values);
  if (placed === undefined) next.delete(key);
  else next.set(key, placed);
  if (placed === undefined || old !== undefined) return next;
  return new Map([...next].sort(([one], [other]) => (one < other ? -1 : 1)));
}

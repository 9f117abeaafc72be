import type { Json, KvPage } from "@easel/protocol/types";
import { type Collection, createCollection } from "./collections.ts";
import { type EaselError, invalid } from "./errors.ts";
import { found } from "./found.ts";
import type { Listener } from "./realtime/listeners.ts";
import type { KvChange, Watch } from "./realtime/watch.ts";
import { type Api, search } from "./request.ts";
import { segment } from "./segment.ts";
import { storable } from "./value.ts";

/** What can be stored under a key: any JSON but null. */
export type KvValue = Exclude<Json, null>;

/** Which keys to list, in key order: `limit` is 1 to 1000 (100 unless told), `cursor` the page before's `nextCursor`. */
export interface KvListOptions {
  prefix?: string;
  cursor?: string | null;
  limit?: number;
}

/** The keys and values of one scope (specification 4.3). */
export interface KvScope {
  /**
   * The value of a key, or undefined where there is none.
   * @example const theme = (await easel.kv.user.get<string>("theme")) ?? "light";
   */
  get<T extends Json = Json>(key: string): Promise<T | undefined>;
  /**
   * Stores a value, which may be any JSON but null.
   * @example await easel.kv.user.set("theme", "dark");
   */
  set<T extends KvValue>(key: string, value: T): Promise<void>;
  /**
   * Removes a key; fine where there is none.
   * @example await easel.kv.user.delete("theme");
   */
  delete(key: string): Promise<void>;
  /**
   * One page of keys and values; `nextCursor` is null on the last.
   * @example const { entries, nextCursor } = await easel.kv.list<Task>({ prefix: "task:" });
   */
  list<T extends Json = Json>(options?: KvListOptions): Promise<KvPage<T>>;
  /**
   * Adds to a number in one step, counting from 0 where there is none, and gives the sum.
   * @example const visits = await easel.kv.user.increment("visits");
   */
  increment(key: string, by?: number): Promise<number>;
  /**
   * Tells of every change of a key that begins with `prefix`, and by `resync` when to read again; gives a function that stops.
   * @example const stop = easel.kv.user.watch("task:", () => showTasks());
   */
  watch(prefix: string, handler: Listener<KvChange>, onError?: Listener<EaselError>): () => void;
}

/** The scope that all viewers share, and the viewer's own. */
export interface Kv extends KvScope {
  /**
   * The same for this viewer alone.
   * @example await easel.kv.user.set("draft", { title: "Tea" });
   */
  readonly user: KvScope;
  /**
   * The records of a collection that the canvas's policy names.
   * @example const ideas = easel.kv.collection("ideas");
   */
  collection(name: string): Collection;
}

/** `easel.kv` and `easel.kv.user`. The shared key `user` has no address: the scope of the viewer is there. */
export function createKv(api: Api, watch: Watch): Kv {
  return {
    ...createScope(api, watch, "kv", "/kv", ["user"]),
    user: createScope(api, watch, "kv.user", "/kv/user", []),
    collection: (name) => createCollection(api, watch, name),
  };
}

function createScope(
  api: Api,
  watch: Watch,
  resource: "kv" | "kv.user",
  path: string,
  taken: string[],
): KvScope {
  const at = (key: string) => `${path}/${segment(key, "key", taken)}`;

  return {
    async get<T extends Json>(key: string) {
      return (await found(api.json<{ value: T }>("GET", at(key))))?.value;
    },

    async set(key, value) {
      const address = at(key);
      if (value === null) throw invalid("`kv.set` takes any JSON but null; `kv.delete` removes a key.");
      await api.json("PUT", address, storable(value));
    },

    async delete(key) {
      await api.json("DELETE", at(key));
    },

    async list({ prefix, cursor, limit } = {}) {
      return api.json("GET", path + search({ prefix, cursor, limit }));
    },

    async increment(key, by = 1) {
      const address = `${at(key)}/increment`;
      if (!Number.isFinite(by)) throw invalid("`kv.increment` adds a finite number.");
      return (await api.json<{ value: number }>("POST", address, { by })).value;
    },

    watch(prefix, handler, onError) {
      if (typeof prefix !== "string") throw invalid("The prefix is a text; the empty one begins every key.");
      return watch({ resource, prefix }, handler, onError);
    },
  };
}

import type { Json, KvPage } from "@easel/protocol/types";
import { createCollection, type NamedCollection } from "./collections.ts";
import { type EaselError, invalid } from "./errors.ts";
import { createMapSource, type Values } from "./live/live-map.ts";
import { startLive } from "./live/start-live.ts";
import { readOptional } from "./optional.ts";
import { type Listener, report } from "./realtime/listeners.ts";
import type { KvChange, Watch } from "./realtime/watch.ts";
import { type Api, search } from "./request.ts";
import { segment } from "./segment.ts";
import { requireJson, type Serializable } from "./value.ts";

/** Options of `list`. `limit` is 1 to 1000, by default 100. `cursor` is the `nextCursor` of the previous page. */
export interface KvListOptions {
  prefix?: string;
  cursor?: string | null;
  limit?: number;
}

/** Keys and values of one scope (specification 4.3). */
export interface KvScope {
  /**
   * Resolves with the value of a key, or with undefined if the key does not exist.
   * @throws QuotaExceededError with `KEY_TOO_LARGE` for a key of more than 512 bytes.
   * @example const theme = (await easel.kv.user.get<string>("theme")) ?? "light";
   */
  get<T = Json>(key: string): Promise<T | undefined>;
  /**
   * Stores a value: any JSON but null.
   * @throws QuotaExceededError with `KEY_TOO_LARGE`, `VALUE_TOO_LARGE` (64 KiB) or `KEY_LIMIT`; EaselError with `INVALID_BODY` for null and
   * values that are not JSON, `PERMISSION_DENIED` in the shared scope for viewers.
   * @example await easel.kv.user.set("theme", "dark");
   */
  set<T>(key: string, value: NonNullable<T> & Serializable<T>): Promise<void>;
  /**
   * Deletes a key; succeeds if it does not exist.
   * @throws EaselError with `PERMISSION_DENIED` in the shared scope for viewers.
   * @example await easel.kv.user.delete("theme");
   */
  delete(key: string): Promise<void>;
  /**
   * Resolves with one page of keys and values, in key order. `nextCursor` is null on the last page.
   * @example const { entries, nextCursor } = await easel.kv.list<Task>({ prefix: "task:" });
   */
  list<T = Json>(options?: KvListOptions): Promise<KvPage<T>>;
  /**
   * Adds `by`, which is 1 by default, to a number atomically. A missing key counts as 0. Resolves with the sum.
   * @throws EaselError with `NOT_NUMERIC` if the value is not a number or the sum is not finite, `PERMISSION_DENIED` in the shared scope for
   * viewers; QuotaExceededError with `KEY_TOO_LARGE` or `KEY_LIMIT`.
   * @example const visits = await easel.kv.user.increment("visits");
   */
  increment(key: string, by?: number): Promise<number>;
  /**
   * Calls `handler` on every change of a key that begins with `prefix`. A change with `op: "resync"` means that the page should read
   * all of these keys again. Returns a function that stops the watch.
   * @example const stop = easel.kv.user.watch("task:", () => showTasks());
   */
  watch(prefix: string, handler: Listener<KvChange>, onError?: Listener<EaselError>): () => void;
  /**
   * Calls `show` with the keys that begin with `prefix` and their values, at the start and whenever they have changed. Reads only what a
   * change does not contain, and gathers several changes into one read. Errors go to `onError`; the next change is shown nevertheless.
   * Returns a function that stops.
   * @example easel.kv.live("votes:", (votes) => show(votes.get("votes:tea") ?? 0));
   */
  live<T = Json>(
    prefix: string,
    show: Listener<ReadonlyMap<string, T>>,
    onError?: Listener<EaselError>,
  ): () => void;
}

/** Key-value data: the shared scope, and the viewer's own scope as `user`. */
export interface Kv extends KvScope {
  /**
   * The viewer's own scope, which nobody else can read.
   * @example await easel.kv.user.set("draft", { title: "Tea" });
   */
  readonly user: KvScope;
  /**
   * Returns the collection with this name. The canvas's policy must declare it.
   * @example const ideas = easel.kv.collection("ideas");
   */
  collection: NamedCollection;
}

/**
 * Creates `easel.kv` and `easel.kv.user`. `easel.kv` refuses the key `user`, because the path `/kv/user` is the list of the keys in
 * `easel.kv.user`.
 */
export function createKv(api: Api, watch: Watch): Kv {
  return {
    ...createScope(api, watch, "kv", "/kv", ["user"]),
    user: createScope(api, watch, "kv.user", "/kv/user", []),
    collection: (name: string) => createCollection(api, watch, name),
  };
}

function createScope(
  api: Api,
  watch: Watch,
  resource: "kv" | "kv.user",
  path: string,
  reserved: string[],
): KvScope {
  const at = (key: string) => `${path}/${segment(key, "key", reserved)}`;

  const scope: KvScope = {
    async get<T>(key: string) {
      return (await readOptional<{ value: T }>(api, at(key)))?.value;
    },

    async set(key, value) {
      const address = at(key);
      if (value === null) throw invalid("`kv.set` takes any JSON but null; `kv.delete` removes a key.");
      const json = requireJson(value);
      await api.json("PUT", address, json);
      watch.wrote({ resource }, { op: "set", key, value: json as Json });
    },

    async delete(key) {
      await api.json("DELETE", at(key));
      watch.wrote({ resource }, { op: "delete", key });
    },

    async list({ prefix, cursor, limit } = {}) {
      return api.json("GET", path + search({ prefix, cursor, limit }));
    },

    async increment(key, by = 1) {
      const address = `${at(key)}/increment`;
      if (!Number.isFinite(by)) throw invalid("`kv.increment` takes a finite number.");
      const { value } = await api.json<{ value: number }>("POST", address, { by });
      watch.wrote({ resource }, { op: "set", key, value });
      return value;
    },

    watch(prefix, handler, onError) {
      if (typeof prefix !== "string")
        throw invalid("The prefix must be a string; the empty string matches every key.");
      return watch({ resource, prefix }, handler, onError);
    },

    live: (prefix, show, onError = report) =>
      startLive(createMapSource(scope, prefix), show as Listener<Values>, onError),
  };
  return scope;
}

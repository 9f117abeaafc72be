import type { Json, Rights } from "@easel/protocol/types";
import { type EaselError, invalid } from "./errors.ts";
import { found } from "./found.ts";
import type { Listener } from "./realtime/listeners.ts";
import type { RecordChange, Watch } from "./realtime/watch.ts";
import { type Api, search } from "./request.ts";
import { segment } from "./segment.ts";
import { jsonOf, storable } from "./value.ts";

/** A record of a collection; `updatedAt` in epoch milliseconds (specification 2). */
export interface CollectionRecord<Value = Json> {
  id: string;
  authorId: string;
  value: Value;
  updatedAt: number;
}

/** A page of records; `nextCursor` is null on the last one. */
export interface RecordPage<Value = Json> {
  entries: CollectionRecord<Value>[];
  nextCursor: string | null;
}

type Scalar = string | number | boolean | null;

/** What a field is compared with: a value that it equals, or bounds. */
export type Comparison =
  | Scalar
  | { eq?: Scalar; lt?: Scalar; lte?: Scalar; gt?: Scalar; gte?: Scalar; startsWith?: string };

/** Which records to list, and in which order: `limit` is 1 to 1000 (100 unless told). */
export interface RecordListOptions {
  cursor?: string | null;
  limit?: number;
  /** Comparisons of `authorId` and of `value.{field}`, three at the most. */
  where?: Record<string, Comparison>;
  /** `createdAt`, `updatedAt` or `value.{field}`; with a hyphen in front from the last to the first. */
  orderBy?: string;
}

/** One collection, as far as its policy lets the viewer (specification 4.10). */
export interface Collection {
  /**
   * Adds a record of the viewer's: any JSON.
   * @example const idea = await easel.kv.collection("ideas").create({ title: "Tea" });
   */
  create<T extends Json>(value: T): Promise<CollectionRecord<T>>;
  /**
   * A record, or undefined where there is none that the viewer may read.
   * @example const idea = await easel.kv.collection("ideas").get(id);
   */
  get<T extends Json = Json>(id: string): Promise<CollectionRecord<T> | undefined>;
  /**
   * Replaces the value of a record; its author stays.
   * @example await easel.kv.collection("ideas").update(id, { title: "Green tea" });
   */
  update<T extends Json>(id: string, value: T): Promise<CollectionRecord<T>>;
  /**
   * Removes a record.
   * @example await easel.kv.collection("ideas").delete(id);
   */
  delete(id: string): Promise<void>;
  /**
   * One page of the records that the viewer may read, as they were made unless told otherwise.
   * @example const { entries } = await easel.kv.collection("ideas").list({ where: { "value.done": false }, orderBy: "-updatedAt" });
   */
  list<T extends Json = Json>(options?: RecordListOptions): Promise<RecordPage<T>>;
  /**
   * Adds to a record that is a number, in one step, and gives the sum.
   * @example const votes = await easel.kv.collection("votes").increment(id);
   */
  increment(id: string, by?: number): Promise<number>;
  /**
   * Counts all records, where the policy's `aggregateCount` lets the viewer; with `where`, those of them that the viewer may read.
   * @example const ideas = await easel.kv.collection("ideas").count();
   */
  count(options?: Pick<RecordListOptions, "where">): Promise<number>;
  /**
   * What the viewer may do, each with their own records and with any.
   * @example const { update } = await easel.kv.collection("ideas").permissions();
   */
  permissions(): Promise<Rights>;
  /**
   * Removes every record that the viewer may read and remove, and gives how many.
   * @example await easel.kv.collection("ideas").clear();
   */
  clear(): Promise<number>;
  /**
   * Tells of every change of a record that the viewer may read, and by `resync` when to read again; gives a function that stops.
   * @example const stop = easel.kv.collection("ideas").watch(() => showIdeas());
   */
  watch(handler: Listener<RecordChange>, onError?: Listener<EaselError>): () => void;
}

/** `where` as JSON. What JSON leaves out, or writes as null, would find other records than those asked for. */
const filterOf = (where: RecordListOptions["where"]) =>
  where === undefined ? undefined : jsonOf(where, storable);

/** `easel.kv.collection(name)`. Nothing is sent before the first call. */
export function createCollection(api: Api, watch: Watch, name: string): Collection {
  const root = () => `/collections/${segment(name, "collection")}`;
  const at = (id: string) => `${root()}/${segment(id, "id", ["count", "permissions"])}`;

  return {
    async create(value) {
      return api.json("POST", root(), storable(value));
    },
    async get<T extends Json>(id: string) {
      return found(api.json<CollectionRecord<T>>("GET", at(id)));
    },
    async update(id, value) {
      return api.json("PUT", at(id), storable(value));
    },
    async delete(id) {
      await api.json("DELETE", at(id));
    },
    async list({ cursor, limit, where, orderBy } = {}) {
      return api.json("GET", root() + search({ cursor, limit, where: filterOf(where), orderBy }));
    },
    async increment(id, by = 1) {
      if (!Number.isFinite(by)) throw invalid("`increment` adds a finite number.");
      return (await api.json<{ value: number }>("POST", `${at(id)}/increment`, { by })).value;
    },
    async count({ where } = {}) {
      return (
        await api.json<{ count: number }>("GET", `${root()}/count${search({ where: filterOf(where) })}`)
      ).count;
    },
    async permissions() {
      return api.json("GET", `${root()}/permissions`);
    },
    async clear() {
      return (await api.json<{ deleted: number }>("DELETE", root())).deleted;
    },
    watch(handler, onError) {
      segment(name, "collection");
      return watch({ resource: "collection", name }, handler, onError);
    },
  };
}

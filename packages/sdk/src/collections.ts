import type { Json, Rights } from "@easel/protocol/types";
import type { Declared } from "./canvas-types.ts";
import { type CreateManyOptions, createMany } from "./collections/create-many.ts";
import { type EaselError, invalid } from "./errors.ts";
import { createRecordsSource, type RecordQuery } from "./live/record-reader.ts";
import { startLive } from "./live/start-live.ts";
import { readOptional } from "./optional.ts";
import { type Listener, report, requireFunction } from "./realtime/listeners.ts";
import { POLLED, type RecordChange, type Watch } from "./realtime/watch.ts";
import { type Api, search } from "./request.ts";
import { segment } from "./segment.ts";
import { requireJson, type Serializable, toJson } from "./value.ts";

/** A record of a collection; `updatedAt` is in epoch milliseconds (specification 2). */
export interface CollectionRecord<Value = Json> {
  id: string;
  authorId: string;
  value: Value;
  updatedAt: number;
}

/** A page of records. `nextCursor` is null on the last page. */
export interface RecordPage<Value = Json> {
  entries: CollectionRecord<Value>[];
  nextCursor: string | null;
}

/** The current phase of a collection or file group, null if it is in none, and the names of the phases that its policy has. */
export interface Phase {
  phase: string | null;
  phases: string[];
}

type Scalar = string | number | boolean | null;

/** A condition on a field: a value that it must equal, or comparisons. */
export type Comparison =
  | Scalar
  | { eq?: Scalar; lt?: Scalar; lte?: Scalar; gt?: Scalar; gte?: Scalar; startsWith?: string };

/** Options of `list`: filter, order and page. `limit` is 1 to 1000, by default 100. */
export interface RecordListOptions {
  cursor?: string | null;
  limit?: number;
  /** Conditions on `authorId` and `value.{field}`; at most three. */
  where?: Record<string, Comparison>;
  /** The field to sort by: `createdAt` (default), `updatedAt` or `value.{field}`. A leading hyphen reverses the order. */
  orderBy?: string;
}

/** Options of a write of a record. */
export interface RecordWriteOptions {
  /**
   * The `updatedAt` of the record when the page last read it. If the record has changed since then, nothing is written, and the call fails
   * with `RECORD_CHANGED`; `record` of the error is the record as it is now.
   */
  expectedUpdatedAt?: number | undefined;
}

/**
 * Returns the collection with the given name. Its values have the type that the call gives, such as `collection<Idea>("ideas")`. Otherwise
 * they have the type that `CanvasTypes` declares, or else `Json`.
 */
export interface NamedCollection {
  <Name extends keyof Declared<"collections"> & string>(
    name: Name,
  ): Collection<Declared<"collections">[Name]>;
  <Value = Json>(name: string): Collection<Value>;
}

/**
 * A collection whose records have values of the type `Value`. The canvas's policy decides what the viewer may do with its records
 * (specification 4.10).
 */
export interface Collection<Value = Json> {
  /**
   * Creates a record with the viewer as author. The value is any JSON.
   * @throws QuotaExceededError with `VALUE_TOO_LARGE` (64 KiB) or `KEY_LIMIT`; EaselError with `PERMISSION_DENIED`, or with `NOT_UNIQUE` if
   * the policy's `unique` allows only one such record.
   * @example const idea = await easel.kv.collection("ideas").create({ title: "Tea" });
   */
  create<T extends Value>(value: T & Serializable<T>): Promise<CollectionRecord<T>>;
  /**
   * Creates records one after the other, in the order of `values`, and resolves with them. When only a quarter of the requests of a minute
   * is left, creates one every ten seconds until the next minute, so that the other calls of the page still work. If a record fails, the
   * records before it exist: go on with `values.slice(done)`.
   * @throws The same as `create`, EaselError with `INVALID_BODY` for a value that is not JSON, before anything is sent, and the abort
   * reason of `signal`.
   * @example await easel.kv.collection("ideas").createMany([{ title: "Tea" }], { onProgress: ({ done }) => show(done) });
   */
  createMany<T extends Value>(
    values: readonly (T & Serializable<T>)[],
    options?: CreateManyOptions,
  ): Promise<CollectionRecord<T>[]>;
  /**
   * Resolves with a record, or with undefined if there is none that the viewer may read.
   * @example const idea = await easel.kv.collection("ideas").get(id);
   */
  get<T = Value>(id: string): Promise<CollectionRecord<T> | undefined>;
  /**
   * Replaces the value of a record and keeps its author. With `expectedUpdatedAt`, only if the record has not changed since then.
   * @throws NotFoundError if there is no such record that the viewer may read; EaselError with `PERMISSION_DENIED`, `NOT_UNIQUE` or
   * `RECORD_CHANGED`; QuotaExceededError with `VALUE_TOO_LARGE`.
   * @example await easel.kv.collection("ideas").update(id, { title: "Green tea" });
   */
  update<T extends Value>(
    id: string,
    value: T & Serializable<T>,
    options?: RecordWriteOptions,
  ): Promise<CollectionRecord<T>>;
  /**
   * Deletes a record. With `expectedUpdatedAt`, only if the record has not changed since then.
   * @throws NotFoundError if there is no such record that the viewer may read; EaselError with `PERMISSION_DENIED` or `RECORD_CHANGED`.
   * @example await easel.kv.collection("ideas").delete(id);
   */
  delete(id: string, options?: RecordWriteOptions): Promise<void>;
  /**
   * Resolves with one page of the records that the viewer may read, in order of creation by default.
   * @throws EaselError with `INVALID_BODY` for an invalid filter, order or cursor, `PERMISSION_DENIED`.
   * @example const { entries } = await easel.kv.collection("ideas").list({ where: { "value.done": false }, orderBy: "-updatedAt" });
   */
  list<T = Value>(options?: RecordListOptions): Promise<RecordPage<T>>;
  /**
   * Adds `by`, which is 1 by default, to a record whose value is a number, atomically. Resolves with the sum.
   * @throws NotFoundError; EaselError with `NOT_NUMERIC` if the value is not a number or the sum is not finite, `PERMISSION_DENIED`.
   * @example const votes = await easel.kv.collection("votes").increment(id);
   */
  increment(id: string, by?: number): Promise<number>;
  /**
   * Counts all records, if the policy's `aggregateCount` allows it. With `where`, counts the matching records that the viewer
   * may read.
   * @throws EaselError with `PERMISSION_DENIED` unless `aggregateCount` includes the viewer.
   * @example const ideas = await easel.kv.collection("ideas").count();
   */
  count(options?: Pick<RecordListOptions, "where">): Promise<number>;
  /**
   * Resolves with the viewer's rights: for each operation, whether they may do it with their own records, and with any record.
   * @throws NotFoundError with the reason `COLLECTION_NOT_CONFIGURED` if the policy does not declare the collection, as every function here.
   * @example const { update } = await easel.kv.collection("ideas").permissions();
   */
  permissions(): Promise<Rights>;
  /**
   * Resolves with the current phase of the collection, null if it is in none, and with the names of the phases that its policy has.
   * @example const { phase } = await easel.kv.collection("cards").phase();
   */
  phase(): Promise<Phase>;
  /**
   * Switches the phase, as the owner or an editor: other rights apply at once, for open pages as well. Null ends the phase.
   * @throws EaselError with `PERMISSION_DENIED` for other viewers, and `INVALID_BODY` if the policy has no such phase.
   * @example await easel.kv.collection("cards").setPhase("revealed");
   */
  setPhase(phase: string | null): Promise<Phase>;
  /**
   * Deletes every record that the viewer may read and delete, and resolves with their number.
   * @throws EaselError with `PERMISSION_DENIED`.
   * @example await easel.kv.collection("ideas").clear();
   */
  clear(): Promise<number>;
  /**
   * Calls `handler` on every change of a record that the viewer may read. A change with `op: "resync"` means that the page should read
   * all records again. Returns a function that stops the watch.
   * @example const stop = easel.kv.collection("ideas").watch(() => showIdeas());
   */
  watch(handler: Listener<RecordChange>, onError?: Listener<EaselError>): () => void;
  /**
   * Calls `show` with the records of a query, at the start and whenever they have changed: the first `limit` (by default 100) of those that
   * the viewer may read. Reads only what a change does not contain, and gathers several changes into one read. A record that has not
   * changed is the same object as before. Errors go to `onError`; the next change is shown nevertheless. Returns a function that stops.
   * @example easel.kv.collection("ideas").live({ orderBy: "-createdAt" }, (ideas) => showIdeas(ideas));
   */
  live<T = Value>(
    query: RecordQuery,
    show: Listener<CollectionRecord<T>[]>,
    onError?: Listener<EaselError>,
  ): () => void;
}

/**
 * Encodes `where` as JSON. Throws for a value that JSON would omit (a function) or write as null (NaN), because the filter would then match
 * other records.
 */
const filterOf = (where: RecordListOptions["where"]) =>
  where === undefined ? undefined : toJson(where, requireJson);

/** Returns the headers that make a write conditional, none if it is not. */
function conditionOf({ expectedUpdatedAt: expected }: RecordWriteOptions = {}): Record<string, string> {
  if (expected === undefined) return {};
  if (!Number.isSafeInteger(expected))
    throw invalid("`expectedUpdatedAt` is the `updatedAt` of a record, a whole number.");
  return { "if-match": `"${expected}"` };
}

/** Creates the object that `easel.kv.collection(name)` returns, without sending a request. */
export function createCollection<Value>(api: Api, watch: Watch, name: string): Collection<Value> {
  const root = () => `/collections/${segment(name, "collection")}`;
  const at = (id: string) => `${root()}/${segment(id, "id", ["count", "permissions", "phase"])}`;

  /** Tells the watches what the response to a write says. */
  const wrote = async <T>(response: Promise<CollectionRecord<T>>): Promise<CollectionRecord<T>> => {
    const record = await response;
    watch.wrote(
      { resource: "collection", name },
      { op: "set", id: record.id, record: record as CollectionRecord },
    );
    return record;
  };

  const collection: Collection<Value> = {
    async create(value) {
      return wrote(api.json("POST", root(), requireJson(value)));
    },
    async createMany(values, options) {
      try {
        return await createMany(api, root(), values, options);
      } finally {
        watch.wrote({ resource: "collection", name }, POLLED);
      }
    },
    async get<T>(id: string) {
      return readOptional<CollectionRecord<T>>(api, at(id));
    },
    async update(id, value, options) {
      return wrote(api.json("PUT", at(id), requireJson(value), conditionOf(options)));
    },
    async delete(id, options) {
      await api.json("DELETE", at(id), undefined, conditionOf(options));
      watch.wrote({ resource: "collection", name }, { op: "delete", id });
    },
    async list({ cursor, limit, where, orderBy } = {}) {
      return api.json("GET", root() + search({ cursor, limit, where: filterOf(where), orderBy }));
    },
    async increment(id, by = 1) {
      if (!Number.isFinite(by)) throw invalid("`increment` takes a finite number.");
      return (await wrote<number>(api.json("POST", `${at(id)}/increment`, { by }))).value;
    },
    async count({ where } = {}) {
      return (
        await api.json<{ count: number }>("GET", `${root()}/count${search({ where: filterOf(where) })}`)
      ).count;
    },
    async permissions() {
      return api.json("GET", `${root()}/permissions`);
    },
    async phase() {
      return api.json("GET", `${root()}/phase`);
    },
    async setPhase(phase) {
      const switched = await api.json<Phase>("PUT", `${root()}/phase`, { phase });
      watch.wrote({ resource: "collection", name }, POLLED);
      return switched;
    },
    async clear() {
      const { deleted } = await api.json<{ deleted: number }>("DELETE", root());
      watch.wrote({ resource: "collection", name }, POLLED);
      return deleted;
    },
    watch(handler, onError) {
      segment(name, "collection");
      return watch({ resource: "collection", name }, handler, onError);
    },
    live<T>(
      query: RecordQuery,
      show: Listener<CollectionRecord<T>[]>,
      onError: Listener<EaselError> = report,
    ) {
      requireFunction(show);
      const source = createRecordsSource(collection as Collection, query);
      return startLive(source, ({ records }) => show(records as CollectionRecord<T>[]), onError);
    },
  };
  return collection;
}

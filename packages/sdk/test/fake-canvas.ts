import type { Json } from "@easel/protocol/types";
import type { Collection, CollectionRecord } from "../src/collections.ts";
import { EaselError } from "../src/errors.ts";
import type { KvScope } from "../src/kv.ts";
import type { ValueScope } from "../src/live/live-value.ts";
import type { KvChange, RecordChange } from "../src/realtime/watch.ts";

/**
 * How a request ends. With `refuse`, the canvas does not change and the request fails. With `break`, the canvas changes, but the response
 * is lost and the request fails.
 */
export type Fate = "accept" | "refuse" | "break";

type Step = () => void;

/** The listeners of a watch: `kv` of a watch of keys, `record` of a watch of records. */
interface Watcher {
  kv?: (change: KvChange) => void;
  record?: (change: RecordChange) => void;
}

/**
 * A canvas in memory with one collection and shared keys. A test decides when each request, each response and each change frame arrives: it
 * runs the functions in `steps`. Frames arrive in the order in which they were sent.
 */
export class FakeCanvas {
  readonly values = new Map<string, Json>();
  readonly records: CollectionRecord[] = [];
  /** The requests that have been sent, such as `list` or `get r-1`. */
  readonly requests: string[] = [];
  /** How the next write ends. The writes after it succeed. */
  fate: Fate = "accept";
  /** Whether change frames have the new value or record. If false, values are larger than a frame may have. */
  isSmall = false;
  /** Whether frames may arrive in another order than they were sent. */
  isUnordered = false;
  /** If true, requests, responses and frames arrive without a test running `steps`. */
  isInstant = true;
  steps: Step[] = [];
  /** The number of watches that run. */
  watches = 0;
  #frames: Step[] = [];
  #listeners = new Set<Watcher>();
  #failures = new Set<(error: EaselError) => void>();
  #count = 0;

  #step(step: Step) {
    if (this.isInstant) queueMicrotask(step);
    else this.steps.push(step);
  }

  /** Sends a frame. When it arrives, all watches that are open at that time get it. */
  #send(frame: { kv?: KvChange; record?: RecordChange }) {
    this.#frames.push(() => {
      for (const { kv, record } of [...this.#listeners]) {
        if (frame.kv) kv?.(frame.kv);
        if (frame.record) record?.(frame.record);
      }
    });
    const last = this.#frames.at(-1);
    this.#step(() => (this.isUnordered ? last : this.#frames.shift())?.());
  }

  #request<Result>(name: string, fate: Fate, carryOut: () => Result): Promise<Result> {
    this.requests.push(name);
    return new Promise((resolve, reject) => {
      this.#step(() => {
        let answer = () => reject(new EaselError({ status: 403, code: "PERMISSION_DENIED" }));
        if (fate !== "refuse") {
          try {
            const result = structuredClone(carryOut());
            answer = () => (fate === "break" ? reject(new EaselError({ status: 0 })) : resolve(result));
          } catch (error) {
            answer = () => reject(error);
          }
        }
        this.#step(answer);
      });
    });
  }

  #write<Result>(name: string, carryOut: () => Result): Promise<Result> {
    const { fate } = this;
    this.fate = "accept";
    return this.#request(name, fate, carryOut);
  }

  #watch(listener: Watcher, fail = (_: EaselError) => {}) {
    this.watches += 1;
    this.#listeners.add(listener);
    this.#failures.add(fail);
    this.#frames.push(() => {
      listener.kv?.({ op: "resync" });
      listener.record?.({ op: "resync" });
    });
    this.#step(() => this.#frames.shift()?.());
    return () => {
      if (this.#listeners.delete(listener)) this.watches -= 1;
      this.#failures.delete(fail);
    };
  }

  /** Drops the frames that have not arrived yet, and sends `resync` to all watches, as after a lost connection. */
  reconnect() {
    this.#frames = this.#frames.map(() => () => {});
    this.#send({ kv: { op: "resync" }, record: { op: "resync" } });
  }

  /** Ends all watches with an error. */
  endWatches(error: EaselError) {
    for (const fail of [...this.#failures]) fail(error);
    this.#listeners.clear();
    this.watches = 0;
  }

  put(key: string, value: Json | undefined) {
    if (value === undefined) this.values.delete(key);
    else this.values.set(key, value);
    this.#send({
      kv: value === undefined ? { op: "delete", key } : { op: "set", key, ...(this.isSmall && { value }) },
    });
  }

  createRecord(value: Json): CollectionRecord {
    this.#count += 1;
    const id = `r-${String(this.#count).padStart(4, "0")}`;
    const record = { id, authorId: "u-1", value, updatedAt: this.#count };
    this.records.push(record);
    this.#sendRecord(record);
    return record;
  }

  changeRecord(id: string, value: Json): CollectionRecord {
    const record = this.#find(id);
    record.value = value;
    this.#count += 1;
    record.updatedAt = this.#count;
    this.#sendRecord(record);
    return record;
  }

  #sendRecord(record: CollectionRecord) {
    const content = this.isSmall && { record: structuredClone(record) };
    this.#send({ record: { op: "set", id: record.id, ...content } });
  }

  deleteRecord(id: string) {
    this.records.splice(this.records.indexOf(this.#find(id)), 1);
    this.#send({ record: { op: "delete", id } });
  }

  #find(id: string): CollectionRecord {
    const record = this.records.find((each) => each.id === id);
    if (record === undefined) throw new EaselError({ status: 404, code: "NOT_FOUND" });
    return record;
  }

  /**
   * Returns a page of the records in the order of creation, or from the newest to the oldest if `isDescending`. The fake has no filters.
   */
  page(cursor: string | null, limit: number, isDescending: boolean) {
    const all = isDescending ? this.records.toReversed() : this.records;
    const start = cursor === null ? 0 : all.findIndex(({ id }) => (isDescending ? id < cursor : id > cursor));
    const entries = start < 0 ? [] : all.slice(start, start + limit);
    const hasMore = start >= 0 && start + limit < all.length;
    return { entries, nextCursor: hasMore ? (entries.at(-1)?.id ?? null) : null };
  }

  readonly kv = {
    get: (key: string) => this.#request(`get ${key}`, "accept", () => this.values.get(key)),
    set: (key: string, value: Json) => this.#write(`set ${key}`, () => this.put(key, value)),
    delete: (key: string) => this.#write(`delete ${key}`, () => this.put(key, undefined)),
    increment: (key: string, by = 1) =>
      this.#write(`increment ${key}`, () => {
        const value = this.values.get(key) ?? 0;
        if (typeof value !== "number") throw new EaselError({ status: 409, code: "NOT_NUMERIC" });
        this.put(key, value + by);
        return value + by;
      }),
    list: ({ prefix = "", limit = 100 } = {}) =>
      this.#request(`list ${limit}`, "accept", () => {
        const keys = [...this.values.keys()].filter((key) => key.startsWith(prefix)).sort();
        return { entries: keys.map((key) => ({ key, value: this.values.get(key) })), nextCursor: null };
      }),
    watch: (_prefix: string, kv: (change: KvChange) => void, fail?: (error: EaselError) => void) =>
      this.#watch({ kv }, fail),
  } as unknown as ValueScope & Pick<KvScope, "list">;

  readonly collection = {
    get: (id: string) =>
      this.#request(`get ${id}`, "accept", () => this.records.find((each) => each.id === id)),
    list: ({ cursor = null, limit = 100, orderBy = "" } = {}) =>
      this.#request(`list ${limit}`, "accept", () => this.page(cursor, limit, orderBy.startsWith("-"))),
    create: (value: Json) => this.#write("create", () => this.createRecord(value)),
    update: (id: string, value: Json) => this.#write(`update ${id}`, () => this.changeRecord(id, value)),
    delete: (id: string) => this.#write(`delete ${id}`, () => this.deleteRecord(id)),
    increment: (id: string, by = 1) =>
      this.#write(`increment ${id}`, () => {
        const { value } = this.#find(id);
        if (typeof value !== "number") throw new EaselError({ status: 409, code: "NOT_NUMERIC" });
        return this.changeRecord(id, value + by).value;
      }),
    watch: (record: (change: RecordChange) => void, fail?: (error: EaselError) => void) =>
      this.#watch({ record }, fail),
  } as unknown as Collection;
}

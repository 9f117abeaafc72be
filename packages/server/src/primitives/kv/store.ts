import { LIMITS } from "@easel/protocol/limits";
import type { CanvasData } from "../../canvases/canvas-data.ts";
import { type Db, sql, step, UpdateOne } from "../../drivers/db/db.ts";
import { paged } from "../../http/query.ts";
import { SLICE_LENGTH } from "../streamed-list.ts";
import { finiteValues, STAYS_FINITE, type Stored, toText } from "../value.ts";

/**
 * Declares the storage of KV: the keys with their values, and the number of keys per scope. In the number of bytes used, a value that is a
 * number counts as 8 bytes.
 */
export const kvData: CanvasData = {
  tables: {
    kv: { key: ["canvas_id", "scope", "key"] },
    kv_scopes: { key: ["canvas_id", "scope"] },
  },
  people: {
    kv: {
      ids: ["scope"],
      where: "scope <> ''",
      erased: "removed",
      exported: { part: "kv", columns: ["canvas_id", "key", "value", "number"], order: ["canvas_id", "key"] },
    },
    kv_scopes: { ids: ["scope"], where: "scope <> ''", erased: "removed", exported: null },
  },
  quotas: {
    "kv.keys.shared": {
      limit: LIMITS.kvKeysShared.value,
      used: (canvas) => sql`select keys as used from kv_scopes where canvas_id = ${canvas} and scope = ''`,
    },
    "kv.keys.user": {
      limit: LIMITS.kvKeysUser.value,
      used: (canvas) =>
        sql`select max(keys) as used from kv_scopes where canvas_id = ${canvas} and scope <> ''`,
    },
  },
  usage: (canvas) => sql`
    select sum(octet_length(key) + coalesce(octet_length(value), 8)) as bytes from kv where canvas_id = ${canvas}`,
};

const KEY = "canvas_id = ? and scope = ? and key = ?";

const PUT = new UpdateOne({ table: "kv", set: "value = ?, number = ?", key: KEY });

const INCREMENT = new UpdateOne({
  table: "kv",
  set: "number = number + ?",
  key: KEY,
  also: `number is not null and ${STAYS_FINITE}`,
  returning: "number",
});

/** Returns a key with its value as JSON text, as lists of the API contain it. */
export const entryText = (entry: Stored & { key: string }): string =>
  `{"key":${JSON.stringify(entry.key)},"value":${toText(entry)}}`;

/** Sorts after every key, because keys are UTF-8, which never contains the byte 0xff. */
const AFTER_ALL = Buffer.of(0xff);

/** Returns the exclusive upper bound of the keys that begin with a prefix. */
function endOfPrefix(prefix: Buffer): Buffer {
  if (prefix.length === 0) return AFTER_ALL;
  const end = Buffer.from(prefix);
  // UTF-8 contains no 0xff, so the last byte can be incremented.
  end.writeUInt8(end.readUInt8(end.length - 1) + 1, end.length - 1);
  return end;
}

/** Returns the inclusive lower bound of the keys in a list: the prefix, or the first key after the cursor if that sorts later. */
function startOfList(prefix: Buffer, cursor: string | null): Buffer {
  if (cursor === null) return prefix;
  const next = Buffer.from(`${cursor}\0`);
  return Buffer.compare(next, prefix) > 0 ? next : prefix;
}

/**
 * Reads and writes the keys of one scope of a canvas (specification 4.3). The parameter `limit` of `put` and `increment` is the maximum
 * number of keys in the scope, unless an administrator has set another quota.
 */
export class KvStore {
  readonly #db: Db;
  readonly #canvas: string;
  readonly #scope: string;
  readonly #quota: "kv.keys.shared" | "kv.keys.user";

  /** `scope` is empty for the keys that all users share, otherwise the id of the user whose keys these are. */
  constructor(db: Db, canvas: string, scope: string) {
    this.#db = db;
    this.#canvas = canvas;
    this.#scope = scope;
    this.#quota = scope === "" ? "kv.keys.shared" : "kv.keys.user";
  }

  /** Returns the value of a key, or undefined if the key does not exist. */
  get(key: string): Promise<Stored | undefined> {
    return this.#read(Buffer.from(key));
  }

  /** Creates a key unless it exists. Returns `taken` if it exists, and `full` if the scope is full. */
  add(key: string, stored: Stored, limit: number): Promise<"done" | "taken" | "full"> {
    return this.#create(Buffer.from(key), stored, limit);
  }

  /** Creates a key or replaces its value. Returns false if the key is new and the scope is full. */
  async put(key: string, stored: Stored, limit: number): Promise<boolean> {
    const bytes = Buffer.from(key);
    // If the scope is full, the update is tried once more, because another request may have created this key meanwhile.
    for (let full = false; ; ) {
      const changed = await this.#db.run(PUT, stored.value, stored.number, this.#canvas, this.#scope, bytes);
      if (changed === 1) return true;
      if (full) return false;
      const outcome = await this.#create(bytes, stored, limit);
      if (outcome === "done") return true;
      full = outcome === "full";
    }
  }

  /** Removes a key. Returns false if the key does not exist. */
  async delete(key: string): Promise<boolean> {
    const bytes = Buffer.from(key);
    const steps = [
      sql`update kv_scopes set keys = keys - 1 where canvas_id = ${this.#canvas} and scope = ${this.#scope}`,
      sql`delete from kv where canvas_id = ${this.#canvas} and scope = ${this.#scope} and key = ${bytes}`,
    ];
    return (await this.#db.withReserve.batch(steps)) === "done";
  }

  /**
   * Adds `by` to a numeric value; a missing key counts as 0. Returns the sum, `NOT_NUMERIC` if the value is not a number or the sum would
   * be infinite, or `KEY_LIMIT` if the key is new and the scope is full.
   */
  async increment(key: string, by: number, limit: number): Promise<number | "NOT_NUMERIC" | "KEY_LIMIT"> {
    const bytes = Buffer.from(key);
    for (let full = false; ; ) {
      const [changed] = await this.#db.returning<{ number: number }>(
        INCREMENT,
        by,
        this.#canvas,
        this.#scope,
        bytes,
        ...finiteValues(by),
      );
      if (changed !== undefined) return changed.number;
      const stored = await this.#read(bytes);
      if (stored === undefined) {
        if (full) return "KEY_LIMIT";
        const outcome = await this.#create(bytes, { value: null, number: 0 + by }, limit);
        if (outcome === "done") return 0 + by;
        full = outcome === "full";
      } else if (stored.number === null || !Number.isFinite(stored.number + by)) {
        return "NOT_NUMERIC";
      }
    }
  }

  /**
   * Reads at most `limit` entries whose keys begin with `prefix` and sort after `cursor`, in the order of the keys' bytes. `nextCursor` is
   * the last key of the result if more entries follow, otherwise null.
   */
  async list({ prefix, cursor, limit }: { prefix: string; cursor: string | null; limit: number }) {
    const start = Buffer.from(prefix);
    const { rows, more } = await this.#db.head<Stored & { key: Uint8Array }>(
      SLICE_LENGTH,
      ...sql`
      select key, value, number from kv where canvas_id = ${this.#canvas} and scope = ${this.#scope}
        and key >= ${startOfList(start, cursor)} and key < ${endOfPrefix(start)}
      order by key limit ${limit + 1}`,
    );
    const entries = rows.map((row) => ({ ...row, key: Buffer.from(row.key).toString() }));
    return paged(entries, limit, ({ key }) => key, more);
  }

  #read(key: Buffer): Promise<Stored | undefined> {
    return this.#db.get<Stored>`
      select value, number from kv where canvas_id = ${this.#canvas} and scope = ${this.#scope} and key = ${key}`;
  }

  /**
   * Creates a key. Returns `taken` if another request has just created it, and `full` if the scope is full. First adds 1 to the stored
   * number of keys in the scope. The lock on the row of that number makes other requests that create keys in the scope wait.
   */
  #create(key: Buffer, { value, number }: Stored, limit: number): Promise<"done" | "taken" | "full"> {
    return this.#db.batch([
      step(
        "full",
        sql`insert into kv_scopes (canvas_id, scope, keys) select ${this.#canvas}, ${this.#scope}, 1
        where coalesce((select value from quotas where name = ${this.#quota}), ${limit}) >= 1
        on conflict (canvas_id, scope) do update set keys = kv_scopes.keys + 1
        where kv_scopes.keys < coalesce((select value from quotas where name = ${this.#quota}), ${limit})`,
      ),
      step(
        "taken",
        sql`insert into kv (canvas_id, scope, key, value, number)
        values (${this.#canvas}, ${this.#scope}, ${key}, ${value}, ${number})
        on conflict (canvas_id, scope, key) do nothing`,
      ),
    ]);
  }
}

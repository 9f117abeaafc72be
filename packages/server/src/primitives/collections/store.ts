import { LIMITS } from "@easel/protocol/limits";
import type { Json, Right } from "@easel/protocol/types";
import type { CanvasData } from "../../canvases/canvas-data.ts";
import { countLess, countOne } from "../../canvases/store.ts";
import { newId } from "../../crypto/ids.ts";
import {
  asKeys,
  type Db,
  type NamedStep,
  optional,
  type Step,
  sql,
  sqlText,
  step,
  UpdateOne,
} from "../../drivers/db/db.ts";
import { type Paged, paged } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import { SLICE_LENGTH } from "../streamed-list.ts";
import { finiteValues, STAYS_FINITE, type Stored, toStored, toText } from "../value.ts";
import { AUTHOR, type Field, fieldsOf, keyOf } from "./fields.ts";
import { type Condition, cursorAt, cursorOf, type Position, type RecordQuery } from "./record-query.ts";
import {
  countStatement,
  furtherStatement,
  listStatement,
  sortsAll,
  uniqueFields,
  uniqueGuard,
} from "./select-records.ts";

/**
 * Declares the storage of collections: the tables of records and of indexed fields, the quota of records, and the number of bytes used. A
 * record whose value is a number counts as 8 bytes.
 */
export const collectionsData: CanvasData = {
  tables: {
    // `records` comes first, although `record_fields` references it, because the removal of a record also removes its fields.
    records: {
      key: ["id"],
    },
    record_fields: { key: ["canvas_id", "collection", "name", "key", "record_id"] },
  },
  people: {
    records: {
      ids: ["author_id"],
      erased: "kept",
      exported: {
        part: "records",
        columns: ["id", "canvas_id", "collection", "value", "number", "created_at", "updated_at"],
        order: ["id"],
      },
    },
  },
  quotas: {
    "collections.records.canvas": {
      limit: LIMITS.recordsPerCanvas.value,
      used: (canvas) => sql`select rows as used from counts where canvas_id = ${canvas} and kind = 'records'`,
    },
  },
  usage: (canvas) =>
    sql`select sum(coalesce(octet_length(value), 8)) as bytes from records where canvas_id = ${canvas}`,
};

/**
 * A record of a collection. `updated_at` is in epoch milliseconds. Every change of a record makes it greater, by 1 at least, so that it also
 * identifies what is stored: a conditional write compares it (decision 096).
 */
export type StoredRecord = Stored & { id: string; author_id: string; updated_at: number };

/** Returns a record as JSON text, as the API returns it. */
export const recordText = (record: StoredRecord): string =>
  `{"id":"${record.id}","authorId":${JSON.stringify(record.author_id)},"value":${toText(record)},"updatedAt":${record.updated_at}}`;

const KIND = "records";

const INCREMENT = new UpdateOne({
  table: "records",
  set: "number = number + ?, updated_at = case when updated_at < ? then ? else updated_at + 1 end",
  key: "id = ?",
  also: `canvas_id = ? and collection = ? and number is not null and ${STAYS_FINITE}`,
  returning: "number, updated_at",
});

/** The maximum number of records that one batch removes when a collection is cleared. Each can have up to a hundred indexed fields. */
const CLEAR_BATCH = 100;

const IN_BATCH =
  "select id from records where canvas_id = ? and collection = ? and id in (select key from json_each(?))";
const DELETE_BATCH = sqlText(`delete from records where id in (${IN_BATCH})`);
const UNCOUNT_BATCH = sqlText(
  "update counts set rows = rows - ? where canvas_id = ? and kind in (?, ?)",
  `and ? = (select count(*) from (${IN_BATCH}) as batch)`,
);

const authorField = (author: string): Field => ({ name: AUTHOR, key: keyOf(author) });

/** Converts a boolean to a value for an SQL statement: 1 or 0. */
const bit = (allowed: boolean) => Number(allowed);

/** Reads and writes the records of one collection of a canvas on behalf of one caller (specification 4.10). */
export class RecordStore {
  readonly #db: Db;
  readonly #canvas: string;
  readonly #collection: string;
  readonly #caller: string;
  /** The `kind` in the table `counts` under which the records of this collection are counted. */
  readonly #kind: string;
  readonly #unique: readonly string[];

  /** `unique` names the fields by which the records of the collection are unique. If it is empty, any records may be equal. */
  constructor(db: Db, canvas: string, collection: string, caller: string, unique: readonly string[] = []) {
    this.#db = db;
    this.#canvas = canvas;
    this.#collection = collection;
    this.#caller = caller;
    this.#kind = `${KIND}/${collection}`;
    this.#unique = unique;
  }

  /**
   * Creates a record whose author is the caller. Returns null if the canvas has as many records as its quota allows, or if a record with
   * the given id exists. Throws 409 `NOT_UNIQUE` or 400 `INVALID_BODY` if the record is not unique or cannot be.
   */
  async create(value: Json, now: number, id: string = newId()): Promise<StoredRecord | null> {
    const stored = toStored(value);
    const fields = [authorField(this.#caller), ...fieldsOf(value)];
    const isStored = await this.#write([
      countOne(this.#canvas, KIND),
      countOne(this.#canvas, this.#kind),
      ...this.#guard(id, fields),
      sql`insert into records (id, canvas_id, collection, author_id, value, number, created_at, updated_at)
        select ${id}, ${this.#canvas}, ${this.#collection}, ${this.#caller}, cast(${stored.value} as text),
          cast(${stored.number} as double precision), cast(${now} as bigint), cast(${now} as bigint)
        from counts where canvas_id = ${this.#canvas} and kind = ${KIND}
          and rows <= coalesce((select value from quotas where name = 'collections.records.canvas'),
            ${LIMITS.recordsPerCanvas.value})
        on conflict (id) do nothing`,
      ...this.#index(id, fields),
    ]);
    return isStored ? { ...stored, id, author_id: this.#caller, updated_at: now } : null;
  }

  /** Returns a record. Returns undefined if it does not exist or the right `read` does not include it. */
  get(id: string, read: Right): Promise<StoredRecord | undefined> {
    return this.#db.get<StoredRecord>`
      select id, author_id, value, number, updated_at from records
      where id = ${id} and canvas_id = ${this.#canvas} and collection = ${this.#collection}
        and (cast(${bit(read.any)} as integer) = 1 or (cast(${bit(read.own)} as integer) = 1 and author_id = ${this.#caller}))`;
  }

  /** Whether a record exists and its author is the caller. */
  async hasOwn(id: string): Promise<boolean> {
    const found = await this.#db.get`
      select id from records where id = ${id} and canvas_id = ${this.#canvas}
        and collection = ${this.#collection} and author_id = ${this.#caller}`;
    return found !== undefined;
  }

  /**
   * Returns the next records of a list, but only those that the right `read` includes. Returns at most `query.limit` records and about 64
   * Ki characters of text. Evaluates the conditions of a limited number of records, so that there may be no entry and a cursor, after which
   * the list goes on.
   */
  async list(query: RecordQuery, read: Right): Promise<Paged<StoredRecord>> {
    const author = read.any ? null : this.#caller;
    const asked = [this.#canvas, this.#collection, author, query] as const;
    const further = furtherStatement(...asked);
    const end = further === null ? undefined : await this.#db.get<Position>(...further);
    const statement = listStatement(...asked, { end });
    const { rows, more } = await this.#db.head<StoredRecord>(SLICE_LENGTH, ...statement);
    const page = paged(rows, query.limit, (last) => cursorOf(last, query.order), more);
    return end === undefined || page.nextCursor !== null
      ? page
      : { ...page, nextCursor: cursorAt(end, query.order) };
  }

  /** Whether a list sorts all records of the caller. */
  sortsAll(query: RecordQuery, read: Right): boolean {
    return sortsAll(read.any ? null : this.#caller, query);
  }

  /** Returns the positions of the next `query.limit` records of a list, and of one more. */
  positions(query: RecordQuery, read: Right): Promise<Position[]> {
    const author = read.any ? null : this.#caller;
    const options = { positions: true };
    return this.#db.all<Position>(...listStatement(this.#canvas, this.#collection, author, query, options));
  }

  /** Returns the records with these ids that the right `read` includes, in this order. */
  async among(ids: string[], read: Right): Promise<StoredRecord[]> {
    const author = read.any ? null : this.#caller;
    const rows = await this.#db.all<StoredRecord>`
      select id, author_id, value, number, updated_at from records
      where id in (select key from json_each(${asKeys(ids)})) and canvas_id = ${this.#canvas} and collection = ${this.#collection}
        and author_id = coalesce(${author}, author_id)`;
    const found = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  /** Counts the records that the right includes and that meet the conditions. */
  async count(right: Right, conditions: Condition[] = []): Promise<number> {
    if (!right.own) return 0;
    const [found] =
      right.any && conditions.length === 0
        ? await this.#db.all<{ rows: number }>`
            select rows from counts where canvas_id = ${this.#canvas} and kind = ${this.#kind}`
        : await this.#db.all<{ rows: number }>(
            ...countStatement(this.#canvas, this.#collection, right.any ? null : this.#caller, conditions),
          );
    return Number(found?.rows ?? 0);
  }

  /**
   * Replaces the value of a record, which is given as it was read. Returns the record as stored, or null if it no longer exists. With
   * `unchanged`, also returns null if it has changed since it was read. Throws 409 `NOT_UNIQUE` or 400 `INVALID_BODY` if the record would
   * not be unique or cannot be.
   */
  async update(
    found: Pick<StoredRecord, "id" | "author_id" | "updated_at">,
    value: Json,
    now: number,
    { unchanged = false } = {},
  ): Promise<StoredRecord | null> {
    const { id, author_id } = found;
    const stored = toStored(value);
    for (
      let last: number | undefined = found.updated_at;
      last !== undefined;
      last = await this.#updatedAt(id)
    ) {
      const updated_at = Math.max(now, last + 1);
      if (await this.#update(found, value, stored, updated_at, unchanged ? last : undefined))
        return { ...stored, id, author_id, updated_at };
      if (unchanged) return null;
    }
    return null;
  }

  /**
   * Replaces the value of a record whose `updated_at` is `expected`, by default any that is less than the new one. Returns false if there is
   * none.
   */
  async #update(
    { id, author_id }: Pick<StoredRecord, "id" | "author_id">,
    value: Json,
    stored: Stored,
    updatedAt: number,
    expected?: number,
  ): Promise<boolean> {
    const fields = fieldsOf(value);
    const guard = this.#guard(id, [authorField(author_id), ...fields]);
    return this.#write([
      ...guard.map(() => countLess(this.#canvas, KIND, 0)),
      ...guard,
      sql`update records set value = ${stored.value}, number = ${stored.number}, updated_at = ${updatedAt}
        where id = ${id} and canvas_id = ${this.#canvas} and collection = ${this.#collection}
          and updated_at between ${expected ?? 0} and ${expected ?? updatedAt - 1}`,
      optional`delete from record_fields where record_id = ${id} and name <> ${AUTHOR}`,
      ...this.#index(id, fields),
    ]);
  }

  /** Returns the time of the last change of a record, undefined if it does not exist. */
  async #updatedAt(id: string): Promise<number | undefined> {
    const found = await this.#db.get<{ updated_at: number }>`
      select updated_at from records where id = ${id} and canvas_id = ${this.#canvas} and collection = ${this.#collection}`;
    return found?.updated_at;
  }

  /**
   * Adds `by` to a record whose value is a number, and returns the sum and the time of the change. Returns undefined if the record no longer
   * exists or is not a number, or if the sum is not finite.
   */
  async increment(
    id: string,
    by: number,
    now: number,
  ): Promise<{ number: number; updated_at: number } | undefined> {
    const [changed] = await this.#db.returning<{ number: number; updated_at: number }>(
      INCREMENT,
      by,
      now,
      now,
      id,
      this.#canvas,
      this.#collection,
      ...finiteValues(by),
    );
    return changed;
  }

  /** Removes a record. Returns false if it no longer exists or, with `expected`, if its `updated_at` is not this. */
  async delete(id: string, expected?: number): Promise<boolean> {
    const steps = [
      countLess(this.#canvas, KIND, 1),
      countLess(this.#canvas, this.#kind, 1),
      sql`delete from records
        where id = ${id} and canvas_id = ${this.#canvas} and collection = ${this.#collection}
          and updated_at between ${expected ?? 0} and ${expected ?? Number.MAX_SAFE_INTEGER}`,
    ];
    return (await this.#db.withReserve.batch(steps)) === "done";
  }

  /**
   * Removes the records that the right includes, in batches. Yields the ids of the records of each batch. Records that are created meanwhile
   * may remain.
   */
  async *clear(right: Right): AsyncGenerator<string[]> {
    let left = await this.count(right);
    while (left > 0) {
      const ids = await this.#nextBatch(right);
      if (ids.length === 0) return;
      if (!(await this.#deleteBatch(ids))) continue;
      left -= ids.length;
      yield ids;
    }
  }

  async #nextBatch(right: Right): Promise<string[]> {
    const found = await this.#db.all<{ id: string }>`
      select id from records where canvas_id = ${this.#canvas} and collection = ${this.#collection}
        and (cast(${bit(right.any)} as integer) = 1 or author_id = ${this.#caller})
      order by id limit ${CLEAR_BATCH}`;
    return found.map(({ id }) => id);
  }

  /** Removes records. Removes none and returns false if a concurrent call has removed some of them. */
  async #deleteBatch(ids: string[]): Promise<boolean> {
    const batch = [this.#canvas, this.#collection, asKeys(ids)];
    const outcome = await this.#db.withReserve.batch([
      // Locks the counter until the commit, so that the next statements find the same records.
      countLess(this.#canvas, KIND, 0),
      [UNCOUNT_BATCH, ids.length, this.#canvas, KIND, this.#kind, ids.length, ...batch],
      [DELETE_BATCH, ...batch],
    ]);
    return outcome === "done";
  }

  /** Returns the step of a batch that checks that a record with the given fields is unique. Returns none if it need not be. */
  #guard(id: string, indexed: Field[]): NamedStep<"not_unique">[] {
    const fields = uniqueFields(this.#unique, indexed);
    if (fields.length === 0) return [];
    const record = { canvas: this.#canvas, collection: this.#collection, kind: KIND, id };
    return [step("not_unique", uniqueGuard(fields, record))];
  }

  /** Runs a batch. Returns false if it was rolled back. Throws 409 `NOT_UNIQUE` if a guard was the reason. */
  async #write(steps: Step<"not_unique">[]): Promise<boolean> {
    const outcome = await this.#db.batch(steps);
    if (outcome === "not_unique") refuse("NOT_UNIQUE");
    return outcome === "done";
  }

  #index(id: string, fields: Field[]): Step[] {
    return fields.map(
      ({ name, key }) => sql`
        insert into record_fields (canvas_id, collection, name, key, record_id)
        values (${this.#canvas}, ${this.#collection}, ${name}, ${key}, ${id})`,
    );
  }
}

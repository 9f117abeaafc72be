import { LIMITS } from "@easel/protocol/limits";
import type { Json, Right } from "@easel/protocol/types";
import { countLess, countOne } from "../../canvases/counts.ts";
import { newId } from "../../crypto/ids.ts";
import { type Db, optional, type Step, sql, statementText } from "../../drivers/db/db.ts";
import { paged } from "../../http/paging.ts";
import { finiteValues, STAYS_FINITE } from "../increment.ts";
import { SLICE_LENGTH } from "../streamed-list.ts";
import { type Stored, toStored } from "../value.ts";
import { counting } from "./counting.ts";
import { AUTHOR, type Field, fieldsOf, keyOf } from "./fields.ts";
import { type Condition, cursorOf, type RecordQuery } from "./query.ts";
import { listing } from "./statements.ts";

/** A record of a collection; `updated_at` in epoch milliseconds. */
export type StoredRecord = Stored & { id: string; author_id: string; updated_at: number };

const KIND = "records";

const INCREMENT = statementText(
  "update records set number = number + ?, updated_at = ?",
  `where id = ? and canvas_id = ? and collection = ? and number is not null and ${STAYS_FINITE}`,
  "returning number",
);

/** So many records are cleared at once: each may have a hundred fields, and others get their turn between. */
const CLEARED_AT_ONCE = 100;

/** One, so that a right is a value of a statement. */
const bit = (reaches: boolean) => Number(reaches);

/** The records of one collection of a canvas, as one caller may reach them (specification 4.10). */
export class RecordStore {
  readonly #db: Db;
  readonly #canvas: string;
  readonly #collection: string;
  readonly #caller: string;

  constructor(db: Db, canvas: string, collection: string, caller: string) {
    this.#db = db;
    this.#canvas = canvas;
    this.#collection = collection;
    this.#caller = caller;
  }

  /** Makes a record of the caller's; null when the canvas has no room for it. */
  async create(value: Json, now: number): Promise<StoredRecord | null> {
    const id = newId();
    const stored = toStored(value);
    const author: Field = { name: AUTHOR, key: keyOf(this.#caller) };
    const steps: Step[] = [
      countOne(this.#canvas, KIND),
      sql`insert into records (id, canvas_id, collection, author_id, value, number, created_at, updated_at)
        select ${id}, ${this.#canvas}, ${this.#collection}, ${this.#caller}, cast(${stored.value} as text),
          cast(${stored.number} as double precision), cast(${now} as bigint), cast(${now} as bigint)
        from counts where canvas_id = ${this.#canvas} and kind = ${KIND}
          and rows <= coalesce((select value from quotas where name = 'collections.records.canvas'),
            ${LIMITS.recordsPerCanvas.value})`,
      ...this.#index(id, [author, ...fieldsOf(value)]),
    ];
    if ((await this.#db.batch(steps)).length < steps.length) return null;
    return { ...stored, id, author_id: this.#caller, updated_at: now };
  }

  /** A record that the right reaches; undefined when there is none. */
  get(id: string, read: Right): Promise<StoredRecord | undefined> {
    return this.#db.get<StoredRecord>`
      select id, author_id, value, number, updated_at from records
      where id = ${id} and canvas_id = ${this.#canvas} and collection = ${this.#collection}
        and (cast(${bit(read.any)} as integer) = 1 or (cast(${bit(read.own)} as integer) = 1 and author_id = ${this.#caller}))`;
  }

  /** A slice of the records that the right reaches. */
  async list(query: RecordQuery, read: Right) {
    const author = read.any ? null : this.#caller;
    const statement = listing(this.#canvas, this.#collection, author, query);
    const { rows, more } = await this.#db.head<StoredRecord>(SLICE_LENGTH, ...statement);
    return paged(rows, query.limit, (last) => cursorOf(last, query.order), more);
  }

  /** Counts the records that the right reaches and that meet the conditions. */
  async count(right: Right, conditions: Condition[] = []): Promise<number> {
    if (!right.own) return 0;
    const author = right.any ? null : this.#caller;
    const found = await this.#db.get<{ rows: number }>(
      ...counting(this.#canvas, this.#collection, author, conditions),
    );
    return Number(found?.rows ?? 0);
  }

  /** Replaces the value of a record; null when it is gone. */
  async update(id: string, value: Json, now: number): Promise<Stored | null> {
    const stored = toStored(value);
    const steps: Step[] = [
      sql`update records set value = ${stored.value}, number = ${stored.number}, updated_at = ${now}
        where id = ${id} and canvas_id = ${this.#canvas} and collection = ${this.#collection}`,
      optional`delete from record_fields where record_id = ${id} and name <> ${AUTHOR}`,
      ...this.#index(id, fieldsOf(value)),
    ];
    return (await this.#db.batch(steps)).length === steps.length ? stored : null;
  }

  /** The number after adding `by`; undefined when the record is gone, is no number, or would leave the finite range. */
  async increment(id: string, by: number, now: number): Promise<number | undefined> {
    const [changed] = await this.#db.returning<{ number: number }>(
      INCREMENT,
      by,
      now,
      id,
      this.#canvas,
      this.#collection,
      ...finiteValues(by),
    );
    return changed?.number;
  }

  /** Removes a record; false when it is gone. */
  async delete(id: string): Promise<boolean> {
    const steps: Step[] = [
      countLess(this.#canvas, KIND, 1),
      sql`delete from records
        where id = ${id} and canvas_id = ${this.#canvas} and collection = ${this.#collection}`,
    ];
    return (await this.#db.batch(steps)).length === steps.length;
  }

  /** Removes every record that the right reaches and that is there by now, some at a time; answers how many. */
  async clear(right: Right): Promise<number> {
    const there = await this.count(right);
    let deleted = 0;
    while (deleted < there) {
      const removed = await this.#removeSome(right);
      if (removed === 0) break;
      deleted += removed;
    }
    return deleted;
  }

  async #removeSome(right: Right): Promise<number> {
    const [, removed] = await this.#db.batch([
      // Held from here on, the count keeps others from adding or removing what the next lines count.
      countLess(this.#canvas, KIND, 0),
      optional`delete from records where id in
        (select id from records where canvas_id = ${this.#canvas} and collection = ${this.#collection}
          and (cast(${bit(right.any)} as integer) = 1 or author_id = ${this.#caller}) order by id limit ${CLEARED_AT_ONCE})`,
      optional`update counts set rows = (select count(*) from records where canvas_id = ${this.#canvas})
        where canvas_id = ${this.#canvas} and kind = ${KIND}`,
    ]);
    return removed ?? 0;
  }

  #index(id: string, fields: Field[]): Step[] {
    return fields.map(
      ({ name, key }) => sql`
        insert into record_fields (canvas_id, collection, name, key, record_id)
        values (${this.#canvas}, ${this.#collection}, ${name}, ${key}, ${id})`,
    );
  }
}

import assert from "node:assert/strict";
import type { Db } from "../../../src/drivers/db/db.ts";
import { AUTHOR, fieldsOf, keyOf } from "../../../src/primitives/collections/fields.ts";
import { type Stored, toText } from "../../../src/primitives/value.ts";

/** Returns the counted and the actual number of records of a canvas. Asserts that the counters of its collections are right. */
export async function recordsOf(db: Db, canvas: string): Promise<[counted: number, held: number]> {
  const wrong = await db.all`
    select coalesce(counted.kind, 'records/' || held.collection) as kind, counted.rows, held.rows as held
    from (select kind, rows from counts where canvas_id = ${canvas} and kind like 'records/%') as counted
      full join (select collection, count(*) as rows from records where canvas_id = ${canvas} group by collection) as held
        on counted.kind = 'records/' || held.collection
    where coalesce(counted.rows, 0) <> coalesce(held.rows, 0)`;
  assert.deepEqual(wrong, []);
  const row = await db.get<{ counted: number; held: number }>`
    select coalesce((select rows from counts where canvas_id = ${canvas} and kind = 'records'), 0) as counted,
      (select count(*) from records where canvas_id = ${canvas}) as held`;
  return [Number(row?.counted), Number(row?.held)];
}

/** Returns the counted and the actual number of submissions of a canvas. */
export async function submissionsOf(db: Db, canvas: string): Promise<[counted: number, held: number]> {
  const row = await db.get<{ counted: number; held: number }>`
    select coalesce((select rows from counts where canvas_id = ${canvas} and kind = 'submissions'), 0) as counted,
      (select count(*) from submissions where canvas_id = ${canvas}) as held`;
  return [Number(row?.counted), Number(row?.held)];
}

type FieldRow = { collection: string; name: Uint8Array; key: Uint8Array; record_id: string };

const lineOf = ({ collection, name, key, record_id }: FieldRow) =>
  [collection, record_id, Buffer.from(name).toString("hex"), Buffer.from(key).toString("hex")].join(" ");

/** Asserts that the index of a canvas contains the fields and authors of its records, and nothing else. */
export async function indexed(db: Db, canvas: string): Promise<void> {
  const records = await db.all<Stored & { id: string; collection: string; author_id: string }>`
    select id, collection, author_id, value, number from records where canvas_id = ${canvas}`;
  const rows = await db.all<FieldRow>`
    select collection, name, key, record_id from record_fields where canvas_id = ${canvas}`;
  const expected = records.flatMap((record) =>
    [{ name: AUTHOR, key: keyOf(record.author_id) }, ...fieldsOf(JSON.parse(toText(record)))].map((field) =>
      lineOf({ ...field, collection: record.collection, record_id: record.id }),
    ),
  );
  assert.deepEqual(rows.map(lineOf).sort(), expected.sort());
}

/** Returns what an update needs to know of a record with the given id and author. */
export const named = (id: string, author_id = "u-1") => ({ id, author_id, updated_at: 0 });

import { createHash } from "node:crypto";
import { sqlText, type Tables, type Value } from "../drivers/db/db.ts";
import type { CopiedTable } from "./copied-tables.ts";

/** The largest number of rows of a batch. */
const ROWS_MAX = 500;
/** The largest number of values of a statement. SQLite takes 32,766, and PostgreSQL 65,535. */
const VALUES_MAX = 10_000;

type Row = Record<string, Value>;

/** What a table contains: the number of its rows, and a hash that does not depend on their order. */
export interface Content {
  rows: number;
  hash: string;
}

/** Copies all rows of a table. Returns what has been read. `onRows` is called with the number of rows so far after each batch. */
export async function copyRows(
  table: CopiedTable,
  from: Tables,
  to: Tables,
  onRows: (rows: number) => void = () => {},
): Promise<Content> {
  const sum = new RowSum(table);
  const row = `(${table.columns.map(() => "?").join(", ")})`;
  for await (const batch of batches(table, from)) {
    await to.run(
      sqlText(
        `insert into ${table.name} (${table.columns.join(", ")}) values`,
        batch.map(() => row).join(", "),
      ),
      ...batch.flatMap((each) => table.columns.map((column) => each[column] as Value)),
    );
    for (const each of batch) sum.add(each);
    onRows(sum.rows);
  }
  return sum.content;
}

/** Reads what a table contains. */
export async function contentOf(table: CopiedTable, tables: Tables): Promise<Content> {
  const sum = new RowSum(table);
  for await (const batch of batches(table, tables)) for (const each of batch) sum.add(each);
  return sum.content;
}

/** Reads the rows of a table in the order of its key, batch by batch. */
async function* batches({ name, columns, key }: CopiedTable, tables: Tables): AsyncGenerator<Row[]> {
  const most = Math.min(ROWS_MAX, Math.floor(VALUES_MAX / columns.length));
  const keys = key.join(", ");
  const first = sqlText(`select ${columns.join(", ")} from ${name} order by ${keys} limit ${most}`);
  const next = sqlText(
    `select ${columns.join(", ")} from ${name} where (${keys}) > (${key.map(() => "?").join(", ")}) order by ${keys} limit ${most}`,
  );
  for (let batch = await tables.all<Row>(first); batch.length > 0; ) {
    yield batch;
    if (batch.length < most) return;
    const last = batch.at(-1) as Row;
    batch = await tables.all<Row>(next, ...key.map((column) => last[column] as Value));
  }
}

/** Adds up the hashes of rows, so that the order in which an engine returns them is of no matter. */
class RowSum {
  readonly #columns: string[];
  readonly #words = new Uint32Array(8);
  rows = 0;

  constructor({ columns }: CopiedTable) {
    this.#columns = columns;
  }

  add(row: Row): void {
    const text = JSON.stringify(this.#columns.map((column) => textOf(row[column] as Value)));
    const hash = createHash("sha256").update(text).digest();
    for (let index = 0; index < 8; index++)
      this.#words[index] = (this.#words[index] as number) + hash.readUInt32LE(4 * index);
    this.rows += 1;
  }

  get content(): Content {
    return { rows: this.rows, hash: Buffer.from(this.#words.buffer).toString("hex") };
  }
}

/** Returns a value such that no two values have the same JSON. */
const textOf = (value: Value) =>
  value instanceof Uint8Array ? [Buffer.from(value).toString("base64")] : value;

import { type PersonalTable, personalTablesOf } from "../canvases/canvas-data.ts";
import { sqlText, type Value } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";

/** A person, whose rows have their id or their address. */
export interface PersonKeys {
  id: string;
  email: string;
}

/** The number of rows, and of canvases, that one statement reads. */
const SLICE = 500;

/** Yields the ids of all canvases, deleted ones too, a slice at a time. */
async function* canvasIds({ db }: Env): AsyncGenerator<string[]> {
  for (let after = ""; ; ) {
    const rows = await db.all<{ id: string }>`
      select id from canvases where id > ${after} order by id limit ${SLICE}`;
    if (rows.length === 0) return;
    yield rows.map(({ id }) => id);
    after = rows.at(-1)?.id ?? "";
  }
}

/** Returns the tables that have rows of people, with their names. A table comes before those that it references. */
export const tablesOfPeople = ({
  canvasData,
}: Pick<Env, "canvasData">): [name: string, table: PersonalTable][] => personalTablesOf(canvasData);

/** The columns by which rows of a person are found, each with the value that they have there. */
const keysOf = (
  { ids = [], emails = [] }: PersonalTable,
  { id, email }: PersonKeys,
): [column: string, value: string][] => [
  ...ids.map((column): [string, string] => [column, id]),
  ...emails.map((column): [string, string] => [column, email]),
];

type Row = Record<string, Value>;

/**
 * Yields the rows of a person in a table, with the columns that an export has and that of their blobs. A slice of rows is read at a time, so
 * that no statement takes long, and each row is yielded once.
 */
export async function* rowsOfPerson(
  name: string,
  table: PersonalTable,
  person: PersonKeys,
  env: Env,
): AsyncGenerator<Row> {
  const { exported, byCanvas = false } = table;
  if (exported === null) return;
  const { order, blob } = exported;
  const columns = [...new Set([...exported.columns, order, ...(blob === undefined ? [] : [blob])])].join(
    ", ",
  );
  const keys = keysOf(table, person);
  for (const [at, [column, value]] of keys.entries()) {
    const earlier = keys.slice(0, at);
    const textAfter = (start: string) =>
      sqlText(
        `select ${columns} from ${name} where ${byCanvas ? "canvas_id = ? and " : ""}${column} = ?`,
        ...earlier.map(([other]) => `and (${other} is null or ${other} <> ?)`),
        `${start} order by ${order} limit ${SLICE}`,
      );
    const [first, next] = [textAfter(""), textAfter(`and ${order} > ?`)];
    const values = [value, ...earlier.map(([, each]) => each)];
    async function* pages(start: Value[]): AsyncGenerator<Row> {
      let rows = await env.db.all<Row>(first, ...start, ...values);
      for (;;) {
        yield* rows;
        const last = rows.at(-1)?.[order];
        if (rows.length < SLICE || last === undefined) return;
        rows = await env.db.all<Row>(next, ...start, ...values, last);
      }
    }
    if (!byCanvas) yield* pages([]);
    else for await (const ids of canvasIds(env)) for (const id of ids) yield* pages([id]);
  }
}

/** Removes the rows of a person from a table, in the order of canvases where they can only be found so. */
export async function removeRowsOfPerson(
  name: string,
  table: PersonalTable,
  person: PersonKeys,
  env: Env,
): Promise<void> {
  const db = env.db.withReserve;
  for (const [column, value] of keysOf(table, person)) {
    if (table.byCanvas !== true) await db.run(sqlText(`delete from ${name} where ${column} = ?`), value);
    else {
      const text = sqlText(`delete from ${name} where canvas_id = ? and ${column} = ?`);
      for await (const ids of canvasIds(env)) for (const id of ids) await db.run(text, id, value);
    }
  }
}

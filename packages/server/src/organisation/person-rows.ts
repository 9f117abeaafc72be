import { nextTurn } from "../async/next-turn.ts";
import {
  type PersonalRow,
  type PersonalTable,
  personalTablesOf,
  type RowView,
} from "../canvases/canvas-data.ts";
import { sqlText, type Value } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import type { AddressInTime } from "../identity/person-addresses.ts";

/** A person, whose rows have their id or one of their addresses. */
export interface PersonKeys {
  id: string;
  /** The address that they have now, and former ones that nobody else has. */
  emails: readonly Omit<AddressInTime, "until">[];
}

/** The number of rows that one statement reads or removes. */
const SLICE = 500;

/** Returns the tables that have rows of people, with their names. A table comes before those that it references. */
export const tablesOfPeople = ({
  canvasData,
}: Pick<Env, "canvasData">): [name: string, table: PersonalTable][] => personalTablesOf(canvasData);

/** A column by which rows of a person are found, the value that they have there, and from when on it has been theirs. */
interface Key {
  column: string;
  value: string;
  since: number;
}

/** Returns how the rows of a person are found in a table. */
const keysOf = ({ ids = [], emails = [] }: PersonalTable, person: PersonKeys): Key[] => [
  ...ids.map((column) => ({ column, value: person.id, since: 0 })),
  ...emails.flatMap((column) => person.emails.map(({ email, since }) => ({ column, value: email, since }))),
];

/** Returns the condition of the rows of a key, and its values. */
function conditionOf(
  { column, value, since }: Key,
  { where, at }: PersonalTable,
): [text: string, values: Value[]] {
  const isBounded = at !== undefined && since > 0;
  const parts = [
    `${column} = ?`,
    ...(where === undefined ? [] : [where]),
    ...(isBounded ? [`${at} > ?`] : []),
  ];
  return [parts.join(" and "), isBounded ? [value, since] : [value]];
}

/** A row of a person, and the columns that an export has of it. */
interface FoundRow {
  row: PersonalRow;
  columns: readonly string[];
}

/**
 * Yields the rows of a person in a table, with the columns that an export has and that of their blobs. A slice of rows is read at a time, so
 * that no statement takes long, and each row is yielded once, as the first column that names the person lets it be seen.
 */
export async function* rowsOfPerson(
  name: string,
  table: PersonalTable,
  person: PersonKeys,
  { db }: Pick<Env, "db">,
): AsyncGenerator<FoundRow> {
  const { exported } = table;
  if (exported === null) return;
  const { order, blob, views = {} } = exported;
  const sorted = order.join(", ");
  const keys = keysOf(table, person);
  for (const [at, key] of keys.entries()) {
    const { column } = key;
    const [found, given] = conditionOf(key, table);
    const { columns, shown = (row) => row }: RowView = views[column] ?? exported;
    const read = [...new Set([...columns, ...order, ...(blob === undefined ? [] : [blob])])].join(", ");
    const earlier = keys.slice(0, at);
    const textAfter = (start: string) =>
      sqlText(
        `select ${read} from ${name} where ${found}`,
        ...earlier.map(({ column: other }) => `and (${other} is null or ${other} <> ?)`),
        `${start} order by ${sorted} limit ${SLICE}`,
      );
    const next = textAfter(`and (${sorted}) > (${order.map(() => "?").join(", ")})`);
    const values = [...given, ...earlier.map(({ value }) => value)];
    let rows = await db.all<PersonalRow>(textAfter(""), ...values);
    for (;;) {
      for (const row of rows) yield { row: shown(row), columns };
      const last = rows.at(-1);
      if (rows.length < SLICE || last === undefined) break;
      rows = await db.all<PersonalRow>(next, ...values, ...order.map((each): Value => last[each] ?? null));
      await nextTurn();
    }
  }
}

/** Removes the rows of a person from a table, a slice at a time where there can be many. */
export async function removeRowsOfPerson(
  name: string,
  table: PersonalTable,
  person: PersonKeys,
  { db }: Pick<Env, "db">,
): Promise<void> {
  const order = table.exported?.order.join(", ");
  for (const key of keysOf(table, person)) {
    const [found, given] = conditionOf(key, table);
    // What is not exported is one row for a canvas or a day.
    const text =
      order === undefined
        ? sqlText(`delete from ${name} where ${found}`)
        : sqlText(
            `delete from ${name} where ${found} and (${order}) in (`,
            `select ${order} from ${name} where ${found} order by ${order} limit ${SLICE})`,
          );
    const values = order === undefined ? given : [...given, ...given];
    let removed = SLICE;
    while (removed === SLICE) {
      removed = await db.withReserve.run(text, ...values);
      await nextTurn();
    }
  }
}

import type { Value } from "../db.ts";

/** Names of the types that a parameter of a turn's statement may have, by their ids in PostgreSQL. */
const TYPES = new Map([
  [17, "bytea"],
  [20, "bigint"],
  [21, "smallint"],
  [23, "integer"],
  [25, "text"],
  [114, "json"],
  [701, "double precision"],
  [1043, "varchar"],
  [1700, "numeric"],
]);

/** Returns the names of the types with these ids, or null if one of them has no name here. */
export function typeNames(ids: readonly number[]): string[] | null {
  const names = ids.map((id) => TYPES.get(id));
  return names.includes(undefined) ? null : (names as string[]);
}

const SPECIAL = /["\\]/;

/** Returns the text of a value as an element of an array, as PostgreSQL reads it. */
function element(value: Value): string {
  if (value === null) return "null";
  if (typeof value === "string")
    return SPECIAL.test(value) ? `"${value.replace(/["\\]/g, "\\$&")}"` : `"${value}"`;
  if (typeof value === "number") return String(value);
  return `"\\\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")}"`;
}

/** Returns the texts of one array for each parameter. Each of `rows` has the values of all parameters. */
export function columnsOf(rows: readonly (readonly Value[])[]): string[] {
  const columns = (rows[0] as readonly Value[]).map(() => "{");
  for (const [row, values] of rows.entries()) {
    const separator = row === 0 ? "" : ",";
    for (const [index, value] of values.entries()) columns[index] += separator + element(value);
  }
  return columns.map((column) => `${column}}`);
}

/** Returns about how many bytes the values take in the text of arrays. */
export function sizeOf(values: readonly Value[]): number {
  let size = 0;
  for (const value of values) {
    if (typeof value === "string") size += value.length;
    else if (value instanceof Uint8Array) size += 2 * value.length;
    size += 8;
  }
  return size;
}

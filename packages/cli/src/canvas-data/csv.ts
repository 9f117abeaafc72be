import { guardCell, unguardCell } from "@easel/protocol/csv-guard";
import type { Json } from "@easel/protocol/types";
import { parse } from "csv-parse";
import { stringify } from "csv-stringify/sync";
import { fail } from "../exit.ts";
import { isoTime } from "../terminal/format.ts";

/*
 * The CSV format of entries. If a value is an object, each of its fields has a column, such as `value.title`. Any other value is in the
 * column `value`. A cell is JSON if it can be parsed as JSON, otherwise text. An empty cell means that the field is absent.
 */

/** A line of an export: a key, a record or a submission. */
export type Line = Record<string, Json | undefined>;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Converts a value to a cell. A text that could be read as another value is written as JSON. No spreadsheet finds a formula in it. */
export function cellOf(value: Json | undefined): string {
  if (value === undefined) return "";
  if (typeof value === "number") return JSON.stringify(value);
  return guardCell(
    typeof value !== "string" || value === "" || isJson(value) ? JSON.stringify(value) : value,
  );
}

/** Converts a cell back to a value. Returns undefined for an empty cell. */
export function valueOfCell(cell: string): Json | undefined {
  if (cell === "") return undefined;
  const text = unguardCell(cell);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The columns that are never parsed as JSON. */
const TEXTS = ["key", "id", "authorId", "author", "userId", "user"];
/** The column of the time of the last change, in ISO 8601. */
const TIME = "updatedAt";
const FIELD = "value.";

const isObject = (value: Json | undefined): value is { [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

function flattened({ value, ...line }: Line): Map<string, string> {
  const cells = new Map<string, string>();
  for (const [name, each] of Object.entries(line))
    cells.set(
      name,
      TEXTS.includes(name) ? guardCell(String(each)) : name === TIME ? isoTime(Number(each)) : cellOf(each),
    );
  if (!isObject(value)) cells.set("value", cellOf(value));
  else for (const [name, each] of Object.entries(value)) cells.set(FIELD + name, cellOf(each));
  return cells;
}

/** Returns entries as CSV, with a header of all fields that occur. */
export function csvOf(lines: readonly Line[]): string {
  const rows = lines.map(flattened);
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  return stringify([columns, ...rows.map((row) => columns.map((column) => row.get(column) ?? ""))]);
}

/** The columns of an export that are not part of the value. */
const META = [...TEXTS, TIME];

function lineOf(cells: Record<string, string>): Line {
  const line: Line = {};
  for (const name of META) if (cells[name]) line[name] = unguardCell(cells[name]);
  const others = Object.entries(cells).filter(([name]) => !META.includes(name));
  const plain = others.find(([name]) => name === "value")?.[1];
  const fields = others.filter(([name]) => name.startsWith(FIELD));
  // Without such columns, the CSV is not an export; then every other column is a field of the value.
  const named =
    fields.length > 0 || plain !== undefined
      ? fields.map(([name, cell]) => [name.slice(FIELD.length), cell] as const)
      : others;
  const values = named.flatMap(([name, cell]) => {
    const value = valueOfCell(cell);
    return value === undefined ? [] : [[name, value] as const];
  });
  line.value = plain ? valueOfCell(plain) : Object.fromEntries(values);
  return line;
}

/** Reads CSV with a header as entries. Throws a `Failure` for faulty CSV. */
export async function* readCsv(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const parser = parse({ columns: true, bom: true, skip_empty_lines: true });
  const fed = (async () => {
    for await (const chunk of chunks)
      if (!parser.write(chunk)) await new Promise((resolve) => parser.once("drain", resolve));
    parser.end();
  })();
  fed.catch((error) => parser.destroy(error));
  try {
    for await (const cells of parser as AsyncIterable<Record<string, string>>) yield lineOf(cells);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!code?.startsWith("CSV_")) throw error;
    fail(`The CSV is faulty: ${(error as Error).message}`, { exit: "usage" });
  }
}

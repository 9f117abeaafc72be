import { guardCell } from "@easel/protocol/csv-guard";

/** A cell of a table: a text, a number, or nothing. */
export type Cell = string | number | boolean | null;

/**
 * Returns a table as CSV (RFC 4180), with the mark by which spreadsheets know that it is UTF-8. No spreadsheet finds a formula in a text, which
 * anybody may have written. Numbers stay numbers.
 */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  `\ufeff${rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("")}`;

function cellOf(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return String(cell);
  return `"${guardCell(cell).replaceAll('"', '""')}"`;
}

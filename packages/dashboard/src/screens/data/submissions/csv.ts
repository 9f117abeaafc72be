/** A cell of a table: a text, a number, or nothing. */
export type Cell = string | number | boolean | null;

/** How a text begins that a spreadsheet would run as a formula, and what a program puts before such a text. */
const FORMULA = /^[\t\r\n]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

/**
 * Returns a table as CSV (RFC 4180), with the mark by which spreadsheets know that it is UTF-8. A text that a spreadsheet would take for a
 * formula gets an apostrophe before it, because anybody may have written it. Numbers stay numbers.
 */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  `\ufeff${rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("")}`;

function cellOf(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return String(cell);
  // Every text is in quotes, so that a program that separates by other characters finds no cell within it.
  return `"${(FORMULA.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`;
}

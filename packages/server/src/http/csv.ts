/** Matches the beginning of a cell that programs for tables take for a formula. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** Returns a cell of a CSV file (RFC 4180). A text that would be taken for a formula begins with an apostrophe, and is shown as a text then. */
function cellOf(value: string | number | null): string {
  if (typeof value === "number") return String(value);
  const text = value === null ? "" : FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns a line of a CSV file, with its end. */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map(cellOf).join(",")}\r\n`;

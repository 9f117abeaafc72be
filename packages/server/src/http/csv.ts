import { guardCell } from "@easel/protocol/csv-guard";

/** Returns a cell of a CSV file (RFC 4180), in whose text no program for tables finds a formula. */
function cellOf(value: string | number | null): string {
  if (typeof value === "number") return String(value);
  const text = guardCell(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns a line of a CSV file, with its end. */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map(cellOf).join(",")}\r\n`;

/** The result of a benchmark. */
export interface Table {
  title: string;
  /** The conditions of the measurement. */
  conditions: string;
  columns: string[];
  rows: string[][];
}

/** Formats a table as text. Aligns the first column to the left and the other columns to the right. */
export function print({ title, conditions, columns, rows }: Table): string {
  const widths = columns.map((_, column) => {
    return Math.max(...[columns, ...rows].map((row) => row[column]?.length ?? 0));
  });
  const line = (row: string[]) =>
    widths
      .map((width, i) => (i === 0 ? (row[i] ?? "").padEnd(width) : (row[i] ?? "").padStart(width)))
      .join("   ");
  return [title, conditions, "", line(columns), ...rows.map(line), ""]
    .map((text) => `${text.trimEnd()}\n`)
    .join("");
}

/** Returns the median of an odd number of figures. */
export function median(figures: number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}

/** Formats a figure with thousands separators and this number of decimal places. Returns a dash if the figure is not finite. */
export function figure(value: number, decimals = 0): string {
  if (!Number.isFinite(value)) return "–";
  return value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

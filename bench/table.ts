/** What a benchmark has to tell. */
export interface Table {
  title: string;
  /** Under which conditions the figures came about. */
  conditions: string;
  columns: string[];
  rows: string[][];
}

/** A table as text: the first column to the left, figures to the right. */
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

/** The middle of an odd number of figures. */
export function median(figures: number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}

/** A figure with thousands separators and so many decimals; a dash where there is none. */
export function figure(value: number, decimals = 0): string {
  if (!Number.isFinite(value)) return "–";
  return value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

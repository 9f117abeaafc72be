import widthOf from "fast-string-width";
import { clean } from "./clean.ts";

/** A column of a table: its title, and the text of its cell in a row. */
export interface Column<Row> {
  title: string;
  cell(row: Row): string;
  /** Whether cells of the column are cut with `…` if the table is wider than the terminal. */
  flexible?: boolean;
  align?: "right";
}

const segments = new Intl.Segmenter();
/** Cuts a text to `width` character cells of a terminal. A cut text ends with `…`. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let result = "";
  let used = 0;
  for (const { segment } of segments.segment(text)) {
    used += widthOf(segment);
    if (used > width - 1) break;
    result += segment;
  }
  return `${result}…`;
}

const GAP = "  ";
const NARROWEST = 8;

/** Formats rows as lines with aligned columns and a line of titles. If `width` is given, flexible columns are cut so that lines fit. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width?: number,
): string {
  const cells = rows.map((row) => columns.map(({ cell }) => clean(cell(row))));
  const titles = columns.map(({ title }) => title);
  const widths = titles.map((title, at) =>
    Math.max(widthOf(title), ...cells.map((line) => widthOf(line[at] ?? ""))),
  );
  if (width !== undefined) {
    const total = widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1));
    let over = total - width;
    for (const [at, column] of columns.entries()) {
      const own = widths[at] ?? 0;
      if (!column.flexible || over <= 0) continue;
      widths[at] = Math.max(Math.min(own, NARROWEST), own - over);
      over -= own - (widths[at] ?? 0);
    }
  }
  const line = (texts: string[]) =>
    texts
      .map((text, at) => {
        const shown = cut(text, widths[at] ?? 0);
        const pad = " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOf(shown)));
        return columns[at]?.align === "right" ? pad + shown : shown + pad;
      })
      .join(GAP)
      .trimEnd();
  return `${[titles, ...cells].map(line).join("\n")}\n`;
}

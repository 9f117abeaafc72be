/** A page of a list; `nextCursor` is null on the last one. */
export interface Paged<Row> {
  entries: Row[];
  nextCursor: string | null;
}

/**
 * A page from rows of which one more than `limit` was asked for. `nextCursor` is the cursor of the last row, or null where no other
 * follows. `more` says that others follow even though fewer rows were read.
 */
export function paged<Row>(
  rows: Row[],
  limit: number,
  cursorOf: (row: Row) => string,
  more = false,
): Paged<Row> {
  const entries = rows.slice(0, limit);
  const last = more || rows.length > limit ? entries.at(-1) : undefined;
  return { entries, nextCursor: last === undefined ? null : cursorOf(last) };
}

/** How many of these rows have sizes that add up to at most `budget`; the first one always counts. */
export function fitting<Row>(rows: Row[], budget: number, sizeOf: (row: Row) => number): number {
  let sum = 0;
  const past = rows.findIndex((row) => {
    sum += sizeOf(row);
    return sum > budget;
  });
  return past === -1 ? rows.length : Math.max(past, 1);
}

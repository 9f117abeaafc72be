/** A page of a list. `nextCursor` is null on the last page. */
export interface Paged<Row> {
  entries: Row[];
  nextCursor: string | null;
}

/**
 * Builds a page of at most `limit` rows from the result of a query for `limit + 1` rows. `nextCursor` is the cursor of the page's last row,
 * or null at the end of the list. `more` means that rows follow even though fewer than `limit + 1` were read.
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

/** Returns how many rows, counted from the first, have a total size of at most `budget`. Returns at least 1 if there are any rows. */
export function countWithin<Row>(rows: Row[], budget: number, sizeOf: (row: Row) => number): number {
  let sum = 0;
  const past = rows.findIndex((row) => {
    sum += sizeOf(row);
    return sum > budget;
  });
  return past === -1 ? rows.length : Math.max(past, 1);
}

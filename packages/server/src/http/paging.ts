/** A page of a list. `nextCursor` is null on the last page. */
export interface Paged<Row> {
  entries: Row[];
  nextCursor: string | null;
}

/**
 * Builds a page of at most `limit` rows from the rows that a query for `limit + 1` rows returned. `nextCursor` is the cursor of the last
 * row on the page, or null if it is the last page. `more` is true if the query stopped early, so that other pages follow in any case.
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

/**
 * Returns the number of rows at the start of a list that fit into `budget`. `sizeOf` returns the size of one row. Returns at least 1 if
 * there are any rows.
 */
export function countWithin<Row>(rows: Row[], budget: number, sizeOf: (row: Row) => number): number {
  let sum = 0;
  const past = rows.findIndex((row) => {
    sum += sizeOf(row);
    return sum > budget;
  });
  return past === -1 ? rows.length : Math.max(past, 1);
}

import { type Sql, sql } from "../drivers/db/db.ts";

/**
 * Builds the batch step that adds 1 to a canvas's counter of rows of one kind, such as records. As the first step of a batch, it locks the
 * counter, so that later steps read the current number.
 */
export const countOne = (canvasId: string, kind: string): Sql => sql`
  insert into counts (canvas_id, kind, rows) values (${canvasId}, ${kind}, 1)
  on conflict (canvas_id, kind) do update set rows = counts.rows + 1`;

/**
 * Builds the batch step that subtracts `by` from a canvas's counter of rows of one kind, such as records. If `by` is 0, it only locks the
 * counter. It changes no row if the canvas has never had a row of this kind.
 */
export const countLess = (canvasId: string, kind: string, by: 0 | 1): Sql =>
  sql`update counts set rows = rows - ${by} where canvas_id = ${canvasId} and kind = ${kind}`;

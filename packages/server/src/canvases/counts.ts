import { type Sql, sql } from "../drivers/db/db.ts";

/** Increments a row count, as the first step of a batch: it locks the counter, so that later steps read the current value. */
export const countOne = (canvasId: string, kind: string): Sql => sql`
  insert into counts (canvas_id, kind, rows) values (${canvasId}, ${kind}, 1)
  on conflict (canvas_id, kind) do update set rows = counts.rows + 1`;

/** Counts one row less; with 0 takes the lock alone. Changes nothing if no row of the kind has ever been counted. */
export const countLess = (canvasId: string, kind: string, by: 0 | 1): Sql =>
  sql`update counts set rows = rows - ${by} where canvas_id = ${canvasId} and kind = ${kind}`;

import { type Sql, sql } from "../drivers/db/db.ts";

/**
 * Builds the step that increments a row count. As the first step of a batch, it locks the counter, so that later steps read the current
 * value.
 */
export const countOne = (canvasId: string, kind: string): Sql => sql`
  insert into counts (canvas_id, kind, rows) values (${canvasId}, ${kind}, 1)
  on conflict (canvas_id, kind) do update set rows = counts.rows + 1`;

/**
 * Builds the step that decrements a row count, or only locks it with 0. It changes nothing if no row of this kind has ever been counted.
 */
export const countLess = (canvasId: string, kind: string, by: 0 | 1): Sql =>
  sql`update counts set rows = rows - ${by} where canvas_id = ${canvasId} and kind = ${kind}`;

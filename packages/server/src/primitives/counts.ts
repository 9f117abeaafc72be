import { type Sql, sql } from "../drivers/db/db.ts";

/** What canvases are counted to hold. */
type Kind = "submissions" | "records";

/** Counts one more. First in its batch: the count is the lock, so what later statements look at is what holds. */
export const oneMore = (canvas: string, kind: Kind): Sql => sql`
  insert into counts (canvas_id, kind, rows) values (${canvas}, ${kind}, 1)
  on conflict (canvas_id, kind) do update set rows = counts.rows + 1`;

/** Counts so many less; of none, it is the lock alone. Changes nothing where nothing has ever been counted. */
export const fewer = (canvas: string, kind: Kind, by: 0 | 1): Sql =>
  sql`update counts set rows = rows - ${by} where canvas_id = ${canvas} and kind = ${kind}`;

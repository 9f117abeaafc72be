import { type Sql, sql } from "../drivers/db/db.ts";
import { QUOTAS } from "../organisation/quotas.ts";

/** What canvases are counted to hold, and the quota that bounds it. */
const BOUNDS = { submissions: "submissions.canvas", records: "collections.records.canvas" } as const;

/** Counts one more; changes nothing where the canvas has no room for it. First in its batch: the count is the lock. */
export function oneMore(canvas: string, kind: keyof typeof BOUNDS): Sql {
  const quota = BOUNDS[kind];
  return sql`insert into counts (canvas_id, kind, rows) select ${canvas}, ${kind}, 1
    where coalesce((select value from quotas where name = ${quota}), ${QUOTAS[quota]}) >= 1
    on conflict (canvas_id, kind) do update set rows = counts.rows + 1
    where counts.rows < coalesce((select value from quotas where name = ${quota}), ${QUOTAS[quota]})`;
}

/** Counts so many less; of none, it is the lock alone. Changes nothing where nothing has ever been counted. */
export const fewer = (canvas: string, kind: keyof typeof BOUNDS, by: 0 | 1): Sql =>
  sql`update counts set rows = rows - ${by} where canvas_id = ${canvas} and kind = ${kind}`;

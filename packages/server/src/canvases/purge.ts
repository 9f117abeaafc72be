import { optional, type Step, sql, statementText } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { rowsOfCanvas, tablesOf } from "./canvas-data.ts";

/** The time after which a deleted canvas is removed for good. Until then it can be restored. */
export const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

/** The maximum number of rows that one statement removes. It is small because in SQLite a write blocks the event loop. */
const AT_ONCE = 100;

/** Removes a canvas's rows from one table: `some` removes them in small batches; `all` builds the step that removes the rest. */
interface Removal {
  some(canvasId: string): Promise<void>;
  all(canvasId: string): Step;
}

/** Builds the removals for every table in which rows belong to canvases. */
function removalsFor(env: Env): Removal[] {
  return tablesOf(env.canvasData).map(([name, table]) => {
    const [key, where] = [table.key.join(", "), rowsOfCanvas(table)];
    const some = statementText(
      `delete from ${name} where (${key}) in (select ${key} from ${name} where ${where} limit ${AT_ONCE})`,
    );
    const all = statementText(`delete from ${name} where ${where}`);
    return {
      async some(canvasId) {
        if (table.remove !== undefined) return table.remove(canvasId, env);
        while ((await env.db.withReserve.run(some, canvasId)) === AT_ONCE);
      },
      all: (canvasId) => optional(all, canvasId),
    };
  });
}

/**
 * Removes at most 100 canvases that were deleted too long ago to be restored, with the blobs of their bundles and all their rows in other
 * tables. Returns the number of such canvases that were found. `sweepBlobs` removes other blobs.
 */
export async function purgeCanvases(env: Env): Promise<number> {
  const db = env.db.withReserve;
  const before = env.clock() - RETENTION_MS;
  const expired = await db.all<{
    id: string;
  }>`select id from canvases where deleted_at <= ${before} limit 100`;
  const removals = removalsFor(env);
  for (const { id } of expired) {
    // After this statement no node can restore the canvas, even if the clock of the node is wrong. The statement changes no row if the
    // canvas has been restored since it was read.
    const taken =
      await db.run`update canvases set deleted_at = 0 where id = ${id} and deleted_at <= ${before}`;
    if (taken === 0) continue;
    for (const { some } of removals) await some(id);
    await db.batch([...removals.map(({ all }) => all(id)), sql`delete from canvases where id = ${id}`]);
  }
  return expired.length;
}

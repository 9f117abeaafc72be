import { optional, type Sql, type Step, sql, statementText } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { rowsOfCanvas, tablesOf } from "./canvas-data.ts";

/** The time after which a deleted canvas is purged; until then it can be restored. */
export const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

/** The number of rows that one statement removes: in SQLite a write blocks the event loop. */
const AT_ONCE = 100;

/** The statements that remove a canvas's rows from a table: up to `AT_ONCE` of them, and all. */
interface Removal {
  some(canvasId: string): Sql;
  all(canvasId: string): Step;
}

/** Builds the statements for every table that holds rows of canvases. */
function removalsFor({ canvasData }: Env): Removal[] {
  return tablesOf(canvasData).map(([name, table]) => {
    const [key, where] = [table.key.join(", "), rowsOfCanvas(table)];
    const some = statementText(
      `delete from ${name} where (${key}) in (select ${key} from ${name} where ${where} limit ${AT_ONCE})`,
    );
    const all = statementText(`delete from ${name} where ${where}`);
    return { some: (canvasId) => [some, canvasId], all: (canvasId) => optional(all, canvasId) };
  });
}

/**
 * Removes up to 100 canvases that were deleted too long ago to be restored, with all their rows. Returns how many it has found. Their blobs
 * are left to the sweep.
 */
export async function purgeCanvases(env: Env): Promise<number> {
  const { db } = env;
  const before = env.clock() - RETENTION_MS;
  const expired = await db.all<{
    id: string;
  }>`select id from canvases where deleted_at <= ${before} limit 100`;
  const removals = removalsFor(env);
  for (const { id } of expired) {
    // After this statement no node can restore the canvas, even if its clock is wrong. The canvas may have been restored since it was read.
    const taken =
      await db.run`update canvases set deleted_at = 0 where id = ${id} and deleted_at <= ${before}`;
    if (taken === 0) continue;
    for (const { some } of removals) while ((await db.run(...some(id))) === AT_ONCE);
    await db.batch([...removals.map(({ all }) => all(id)), sql`delete from canvases where id = ${id}`]);
  }
  return expired.length;
}

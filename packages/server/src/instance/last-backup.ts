import type { CanvasData } from "../canvases/canvas-data.ts";
import type { Db } from "../drivers/db/db.ts";

/** When a backup of the instance was last made: one row. */
export const lastBackupData: CanvasData = { otherTables: ["last_backup"] };

/** Stores that a backup was made at a time in epoch milliseconds. */
export async function recordBackup(at: number, db: Db): Promise<void> {
  await db.withReserve.run`
    insert into last_backup (singleton, finished_at) values (1, ${at})
    on conflict (singleton) do update set finished_at = excluded.finished_at`;
}

/** Returns when a backup was last made with success, in epoch milliseconds; null if none was. */
export async function lastBackupAt(db: Db): Promise<number | null> {
  const row = await db.get<{ at: number }>`select finished_at as at from last_backup`;
  return row === undefined ? null : Number(row.at);
}

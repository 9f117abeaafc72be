import type { Db } from "../drivers/db/db.ts";
import type { CanvasData } from "./canvas-data.ts";

/** The time for which the calls of a canvas are kept. */
export const CALLS_KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** The maximum number of rows that one statement removes. It is small because in SQLite a write blocks the event loop. */
const AT_ONCE = 500;

/** Deletes the calls that were made at or before a time in epoch milliseconds. */
export async function removeCalls(until: number, db: Db): Promise<void> {
  let removed: number;
  do {
    removed = await db.run`delete from call_log where (canvas_id, number) in
      (select canvas_id, number from call_log where at <= ${until} limit ${AT_ONCE})`;
  } while (removed === AT_ONCE);
}

/** The tables of the call log. */
export const callLogData: CanvasData = {
  tables: {
    call_log: { key: ["canvas_id", "number"] },
    call_log_ends: { key: ["canvas_id"] },
  },
  sweep: (db) => removeCalls(Date.now() - CALLS_KEPT_MS, db),
};

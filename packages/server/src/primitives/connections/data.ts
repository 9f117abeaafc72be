import type { CanvasData } from "../../canvases/canvas-data.ts";
import { DAY_MS } from "../../organisation/days.ts";

/** The number of days for which the counts of calls are kept. */
const KEPT_DAYS = 90;

/** The tables of Connections whose rows belong to canvases: the grants and the counts of calls. */
export const connectionsData: CanvasData = {
  tables: {
    connection_grants: { key: ["canvas_id", "profile"] },
    connection_days: { key: ["canvas_id", "profile", "day"] },
    connection_calls: { key: ["canvas_id", "profile", "day", "outcome", "up_to_ms"] },
  },
  async sweep(db) {
    const today = Math.floor(Date.now() / DAY_MS);
    await db.run`delete from connection_calls where day <= ${today - KEPT_DAYS}`;
    await db.run`delete from connection_days where day < ${today - 1}`;
  },
};

import type { CanvasData } from "../../canvases/canvas-data.ts";
import { DAY_MS, REPORT_DAYS, utcDay } from "../../organisation/days.ts";

/**
 * The tables of AI: a row for each request, and for each spend cap a row with the sum spent. When a canvas is removed, the sums of people
 * are kept.
 */
export const aiData: CanvasData = {
  tables: { ai_requests: { key: ["id"] }, ai_spend: { key: ["scope", "subject", "period"] } },
  async sweep(db) {
    const before = Date.now() - REPORT_DAYS * DAY_MS;
    await db.run`delete from ai_requests where started_at < ${before} and lease is null`;
    await db.run`delete from ai_spend where period <> '' and period < ${utcDay(before)}`;
  },
};

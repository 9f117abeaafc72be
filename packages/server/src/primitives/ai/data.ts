import type { CanvasData } from "../../canvases/canvas-data.ts";
import { sql } from "../../drivers/db/db.ts";

/** The time in milliseconds for which finished AI requests and the sums of daily and monthly spend are kept: thirteen months. */
const KEPT_MS = 400 * 24 * 60 * 60 * 1000;

/**
 * The tables of AI: a row for each request, and for each spend cap a row with the sum spent. When a canvas is removed, the sums of people
 * are kept.
 */
export const aiData: CanvasData = {
  tables: { ai_requests: { key: ["id"] }, ai_spend: { key: ["scope", "subject", "period"] } },
  async sweep(db) {
    const before = Date.now() - KEPT_MS;
    await db.run(...sql`delete from ai_requests where started_at < ${before} and leased_until is null`);
    const day = new Date(before).toISOString().slice(0, 10);
    await db.run(...sql`delete from ai_spend where period <> '' and period < ${day}`);
  },
};

import { LIMITS } from "@easel/protocol/limits";
import type { CanvasData } from "../../canvases/canvas-data.ts";
import { sql } from "../../drivers/db/db.ts";

/**
 * Declares the storage of collections: the tables of records and of indexed fields, the quota of records, and the number of bytes used. A
 * record whose value is a number counts as 8 bytes.
 */
export const collectionsData: CanvasData = {
  tables: {
    // `records` comes first, although `record_fields` references it, because the removal of a record also removes its fields.
    records: {
      key: ["id"],
    },
    record_fields: { key: ["canvas_id", "collection", "name", "key", "record_id"] },
  },
  quotas: {
    "collections.records.canvas": {
      limit: LIMITS.recordsPerCanvas.value,
      used: (canvas) => sql`select rows as used from counts where canvas_id = ${canvas} and kind = 'records'`,
    },
  },
  usage: (canvas) =>
    sql`select sum(coalesce(octet_length(value), 8)) as bytes from records where canvas_id = ${canvas}`,
};

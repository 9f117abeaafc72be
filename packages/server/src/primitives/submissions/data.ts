import { LIMITS } from "@easel/protocol/limits";
import type { CanvasData } from "../../canvases/canvas-data.ts";
import { sql } from "../../drivers/db/db.ts";

/** Declares the storage of submissions: their table, quotas and used bytes. */
export const submissionsData: CanvasData = {
  tables: {
    submissions: {
      key: ["canvas_id", "collection", "user_id"],
    },
  },
  quotas: {
    "submissions.canvas": {
      limit: LIMITS.submissionsPerCanvas.value,
      used: (canvas) =>
        sql`select rows as used from counts where canvas_id = ${canvas} and kind = 'submissions'`,
    },
    "submissions.author": {
      limit: LIMITS.submissionsPerAuthor.value,
      used: (canvas) => sql`
        select count(*) as used from submissions where canvas_id = ${canvas}
        group by user_id order by used desc limit 1`,
    },
  },
  usage: (canvas) =>
    sql`select sum(octet_length(value)) as bytes from submissions where canvas_id = ${canvas}`,
};

import type { AuditEntry } from "@easel/protocol/management";
import type { Json } from "@easel/protocol/types";
import { z } from "zod";
import { isId } from "../../crypto/ids.ts";
import { paged } from "../../http/paging.ts";
import { type AuditRow, listAudit } from "../../organisation/audit.ts";
import { act } from "../act.ts";
import { search } from "../list-query.ts";
import { ok } from "../response-spec.ts";
import { auditLog } from "../responses/admin.ts";

const Query = z.object({
  ...search.shape,
  canvas: z
    .string()
    .refine(isId, "is not an id")
    .meta({ description: "Only entries of the canvas with this id." })
    .optional(),
});

const viewOf = (row: AuditRow): AuditEntry => ({
  id: row.id,
  at: row.at,
  actor: { id: row.actor_id, email: row.actor_email },
  act: row.act,
  canvasId: row.canvas_id,
  target: row.target,
  address: row.address,
  details: row.details === null ? null : (JSON.parse(row.details) as Json),
});

/** The endpoint for the audit log (docs/operating.md#audit-log). */
export const audit = [
  act({
    name: "audit.list",
    method: "GET",
    path: "/api/admin/audit",
    summary: "Lists the entries of the audit log, newest first.",
    details:
      "`canvas` filters by the id of a canvas, `q` has no effect. See [audit log](../operating.md#audit-log).",
    allow: "administrator",
    query: Query,
    response: ok(auditLog),
    async run({ query: { canvas = null, cursor, limit } }, env) {
      const rows = await listAudit({ canvas, cursor, limit: limit + 1 }, env);
      const { entries, nextCursor } = paged(rows, limit, ({ id }) => id);
      return { body: { entries: entries.map(viewOf), nextCursor } };
    },
  }),
];

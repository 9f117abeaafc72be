import type { AuditEntry } from "@easel/protocol/management";
import type { Json } from "@easel/protocol/types";
import { z } from "zod";
import { isId } from "../../crypto/ids.ts";
import { paged } from "../../http/query.ts";
import { instanceAiUsage } from "../../organisation/ai/spend-report.ts";
import { type AuditRow, listAudit } from "../../organisation/audit.ts";
import { act, ok } from "../act.ts";
import { dayRange, rangeOf, search } from "../list-query.ts";
import { auditLog } from "../responses/admin.ts";
import { instanceAiUsage as schema } from "../responses/ai-usage.ts";

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

/** The endpoint that reports the AI usage of all canvases together (docs/operating.md#what-is-recorded). */
export const aiUsage = [
  act({
    name: "ai.usage",
    method: "GET",
    path: "/api/admin/ai/usage",
    summary: "Sums up the AI requests of all canvases by day, model, person and canvas.",
    details: "`from` and `to` are days (UTC) such as `2026-01-31`; by default the days of the current month.",
    allow: "administrator",
    query: dayRange,
    response: ok(schema),
    run: async ({ query }, env) => ({ body: await instanceAiUsage(rangeOf(query, env.clock()), env) }),
  }),
];

import { Readable } from "node:stream";
import type { AuditEntry } from "@easel/protocol/management";
import type { Json } from "@easel/protocol/types";
import { z } from "zod";
import { isId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { csvLine } from "../../http/csv.ts";
import { instanceAiUsage } from "../../organisation/ai/spend-report.ts";
import { type AuditRow, viaOf } from "../../organisation/audit.ts";
import {
  type AuditFilter,
  auditEntriesAfter,
  canvasTitles,
  everyAuditEntry,
  searchAudit,
} from "../../organisation/audit-search.ts";
import { DAY_MS, utcDay } from "../../organisation/days.ts";
import { act, Download, download, ok } from "../act.ts";
import { dayRange, page, rangeOf, text } from "../list-query.ts";
import { auditLog } from "../responses/admin.ts";
import { instanceAiUsage as schema } from "../responses/ai-usage.ts";

/** The query parameters that select entries. */
const Filter = z.object({
  actor: text("The id or the e-mail address of the person who did it."),
  act: text("The name of an act, such as `canvas.share`."),
  target: text("The id, name or e-mail address of a changed object other than a canvas."),
  canvas: z
    .string()
    .refine(isId, "is not an id")
    .meta({ description: "Only entries of the canvas with this id." })
    .optional(),
  client: text("The name of the program through which it was done, such as `Claude Code`."),
  from: dayRange.shape.from.meta({ description: "The first day (UTC)." }),
  to: dayRange.shape.to.meta({ description: "The last day (UTC)." }),
  q: text("A text that actor, act, target, address, program or details contain, in any letter case."),
});

const Query = z.object({ ...Filter.shape, ...page.shape });

const FORMATS = ["jsonl", "csv"] as const;

const ExportQuery = z.object({
  ...Filter.shape,
  format: z
    .enum(FORMATS)
    .default("jsonl")
    .meta({ description: "`jsonl`: one entry as JSON on each line. `csv`: a table with a line of names." }),
});

/** Returns the filter that a query asks for. The last day ends with it. An address is compared in lower case, as it is stored. */
function filterOf({ actor, from, to, ...others }: z.output<typeof Filter>): AuditFilter {
  return {
    ...others,
    actor: actor?.includes("@") ? actor.trim().toLowerCase() : actor,
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to) + DAY_MS,
  };
}

const viewOf = (row: AuditRow): AuditEntry => ({
  id: row.id,
  at: row.at,
  actor: { id: row.actor_id, email: row.actor_email },
  act: row.act,
  canvasId: row.canvas_id,
  target: row.target,
  address: row.address,
  details: row.details === null ? null : (JSON.parse(row.details) as Json),
  via: viaOf(row),
});

const COLUMNS = [
  ...["id", "at", "actor_id", "actor_email", "act", "canvas_id", "target", "address", "details"],
  ...["via_client", "via_tool"],
];

const lineOf = (row: AuditRow): string => {
  const via = viaOf(row);
  return csvLine([
    row.id,
    new Date(row.at).toISOString(),
    row.actor_id,
    row.actor_email,
    row.act,
    row.canvas_id,
    row.target,
    row.address,
    row.details,
    via?.client ?? null,
    via?.tool ?? null,
  ]);
};

/** The formats of an export: how they are called, and the text of some entries. */
const EXPORTS: Record<
  (typeof FORMATS)[number],
  { type: string; begin: string; textOf(rows: AuditRow[]): string }
> = {
  jsonl: {
    type: "application/x-ndjson",
    begin: "",
    textOf: (rows) => rows.map((row) => `${JSON.stringify(viewOf(row))}\n`).join(""),
  },
  csv: {
    type: "text/csv; charset=utf-8",
    begin: csvLine(COLUMNS),
    textOf: (rows) => rows.map(lineOf).join(""),
  },
};

/** Makes the text of an export while it is read. */
async function* exported(
  filter: AuditFilter,
  format: (typeof FORMATS)[number],
  env: Env,
): AsyncGenerator<string> {
  const { begin, textOf } = EXPORTS[format];
  if (begin !== "") yield begin;
  for await (const rows of everyAuditEntry(filter, env)) yield textOf(rows);
}

/** Makes the lines of entries while they are read. */
async function* pulled(after: string, limit: number, env: Env): AsyncGenerator<string> {
  for await (const rows of auditEntriesAfter(after, limit, env)) yield EXPORTS.jsonl.textOf(rows);
}

/** The most entries of one response to a program that fetches them regularly. */
const MAX_PULLED = 10_000;

const PullQuery = z.object({
  after: z
    .string()
    .refine(isId, "is not an id")
    .meta({ description: "The id of the last entry that you have. Without it, from the first one." })
    .optional(),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_PULLED)
    .default(MAX_PULLED)
    .meta({ description: "The most entries to return." }),
});

/** The endpoints for the audit log (docs/operating.md#audit-log). */
export const audit = [
  act({
    name: "audit.list",
    method: "GET",
    path: "/api/admin/audit",
    summary: "Lists the entries of the audit log, newest first.",
    details:
      "All parameters must match. A page can end early, and be empty, where few of the last 20,000 entries do; `nextCursor` continues the search. See [audit log](../operating.md#audit-log).",
    allow: "administrator",
    query: Query,
    response: ok(auditLog),
    async run({ query: { cursor, limit, ...filter } }, env) {
      const { entries, nextCursor } = await searchAudit(filterOf(filter), { cursor, limit }, env);
      const titles = await canvasTitles(entries, env);
      const listed = entries.map((row) => ({
        ...viewOf(row),
        canvasTitle: titles.get(row.canvas_id) ?? null,
      }));
      return { body: { entries: listed, nextCursor } };
    },
  }),
  act({
    name: "audit.export",
    method: "GET",
    path: "/api/admin/audit/export",
    summary: "Returns all entries of the audit log that match, newest first, as JSON lines or as CSV.",
    details:
      "The parameters are those of `audit.list`. Times in CSV are in ISO 8601, `details` is JSON, and a cell that a program for tables would take for a formula begins with an apostrophe. The response is made while it is read. The audit log records it.",
    allow: "administrator",
    audited: true,
    query: ExportQuery,
    response: download("application/x-ndjson, text/csv"),
    errors: ["UNAVAILABLE"],
    async run({ query: { format, ...filter } }, env) {
      const stream = Readable.from(exported(filterOf(filter), format, env), { objectMode: false });
      const name = `audit-${utcDay(env.clock())}.${format}`;
      const headers = {
        "content-type": EXPORTS[format].type,
        "content-disposition": `attachment; filename="${name}"`,
        "x-content-type-options": "nosniff",
      };
      return { body: new Download(headers, stream), audit: { details: { format, ...filter } } };
    },
  }),
  act({
    name: "audit.lines",
    method: "GET",
    path: "/api/admin/audit/lines",
    summary: "Returns entries of the audit log after one of them, the oldest first, as JSON lines.",
    details:
      "For programs that collect them: the id of the last line is the next `after`, and an empty response says that there is nothing new. An entry is there a minute after it was written, so that none is missed. See [monitoring](../monitoring.md#collecting-the-audit-log). The audit log does not record it.",
    allow: "administrator",
    query: PullQuery,
    response: download("application/x-ndjson"),
    errors: ["UNAVAILABLE"],
    async run({ query: { after = "", limit } }, env) {
      const stream = Readable.from(pulled(after, limit, env), { objectMode: false });
      return { body: new Download({ "x-content-type-options": "nosniff" }, stream) };
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

import { instanceAiUsage } from "../../organisation/ai/spend-report.ts";
import { act } from "../act.ts";
import { dayRange, rangeOf } from "../day-range.ts";
import { ok } from "../response-spec.ts";
import { instanceAiUsage as schema } from "../responses/ai-usage.ts";

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

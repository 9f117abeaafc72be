import { realtimePlaces } from "../canvases/realtime-places.ts";
import { aiUsageOf, monthlySpendOf } from "../organisation/ai/spend-report.ts";
import { callsOfCanvas } from "../organisation/connections/call-report.ts";
import { bytesOf, usageOf } from "../organisation/usage.ts";
import { act } from "./act.ts";
import { dayRange, rangeOf } from "./day-range.ts";
import { ok } from "./response-spec.ts";
import { usage as usageSchema } from "./responses/canvas.ts";

/**
 * The endpoint that returns the usage of a canvas: its quotas, bytes, AI requests, calls through Connections and realtime connections
 * (docs/http/management.md#usage).
 */
export const usage = [
  act({
    name: "canvas.usage",
    method: "GET",
    path: "/api/canvases/{id}/usage",
    summary:
      "Returns how much of each quota, how many bytes and how much AI a canvas uses, how often its Connections are called, and who has its realtime connections.",
    details:
      "`from` and `to` are the days (UTC) that `ai` and `connections` sum up, such as `2026-01-31`; by default those of the current month.",
    allow: "editor",
    query: dayRange,
    response: ok(usageSchema),
    async run({ canvas: { id }, query }, env) {
      const range = rangeOf(query, env.clock());
      const [counts, bytes, spend, ai, connections, realtime] = await Promise.all([
        usageOf(id, env),
        bytesOf(id, env),
        monthlySpendOf(id, env),
        aiUsageOf(id, range, env),
        callsOfCanvas(id, range, env),
        realtimePlaces(id, env),
      ]);
      return { body: { counts, bytes, spend, ai, connections, realtime } };
    },
  }),
];

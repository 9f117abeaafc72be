import type { ConnectionCalls, ProfileUsage } from "@easel/protocol/management";
import type { Env } from "../../env.ts";
import { DAY_MS, type DayRange, utcDay } from "../days.ts";

/**
 * The number and total duration of calls that have the same outcome and whose durations lie in the same range. The sums are texts in
 * PostgreSQL, numbers in SQLite.
 */
interface CountRow {
  outcome: string;
  up_to_ms: number;
  calls: number | string;
  ms: number | string;
}

/** Whether an outcome is a response of the upstream, such as `2xx`, and not an error of the platform. */
const isResponse = (outcome: string) => /^\dxx$/.test(outcome);

/** Adds up the calls of each outcome for which `accepts` returns true. */
const byOutcome = (rows: CountRow[], accepts: (outcome: string) => boolean): Record<string, number> => {
  const groups = Map.groupBy(rows, ({ outcome }) => outcome);
  const sums = [...groups]
    .filter(([outcome]) => accepts(outcome))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sums.map(([outcome, group]) => [outcome, callsIn(group)]));
};

const callsIn = (rows: CountRow[]) => rows.reduce((sum, { calls }) => sum + Number(calls), 0);

/**
 * Returns a percentile of the durations in ms: the median if `share` is 0.5. Because only ranges are known, the result is the upper bound
 * of a range.
 */
function quantile(rows: CountRow[], share: number): number {
  let left = Math.ceil(callsIn(rows) * share);
  for (const { up_to_ms, calls } of rows.toSorted(
    (one, other) => Number(one.up_to_ms) - Number(other.up_to_ms),
  )) {
    left -= Number(calls);
    if (left <= 0) return Number(up_to_ms);
  }
  return 0;
}

function sumUp(rows: CountRow[]): ConnectionCalls {
  const answered = rows.filter(({ outcome }) => isResponse(outcome));
  const calls = callsIn(answered);
  const ms = answered.reduce((sum, row) => sum + Number(row.ms), 0);
  return {
    calls: callsIn(rows),
    responses: byOutcome(rows, isResponse),
    failures: byOutcome(rows, (outcome) => !isResponse(outcome)),
    latency:
      calls === 0
        ? null
        : { meanMs: Math.round(ms / calls), p50Ms: quantile(answered, 0.5), p95Ms: quantile(answered, 0.95) },
  };
}

const daysOf = ({ from, to }: DayRange) => [Date.parse(from) / DAY_MS, Date.parse(to) / DAY_MS] as const;

/** Sums up the calls of a canvas in a range of days. Returns one entry for each profile, sorted by name. */
export async function callsOfCanvas(
  canvasId: string,
  range: DayRange,
  { db }: Env,
): Promise<(ConnectionCalls & { profile: string })[]> {
  const [from, to] = daysOf(range);
  const rows = await db.all<CountRow & { profile: string }>`
    select profile, outcome, up_to_ms, sum(calls) as calls, sum(ms) as ms from connection_calls
    where canvas_id = ${canvasId} and day >= ${from} and day <= ${to}
    group by profile, outcome, up_to_ms order by profile`;
  return [...Map.groupBy(rows, ({ profile }) => profile)].map(([profile, group]) => ({
    profile,
    ...sumUp(group),
  }));
}

/** Sums up the calls of a profile in a range of days: in total, by day and by canvas. */
export async function callsOfProfile(profile: string, range: DayRange, { db }: Env): Promise<ProfileUsage> {
  const [from, to] = daysOf(range);
  const [days, canvases] = await Promise.all([
    db.all<CountRow & { day: number }>`
      select day, outcome, up_to_ms, sum(calls) as calls, sum(ms) as ms from connection_calls
      where profile = ${profile} and day >= ${from} and day <= ${to}
      group by day, outcome, up_to_ms order by day`,
    db.all<CountRow & { canvas_id: string; slug: string; title: string }>`
      select canvas_id, slug, title, outcome, up_to_ms, sum(calls) as calls, sum(ms) as ms from connection_calls
      join canvases on canvases.id = canvas_id where profile = ${profile} and day >= ${from} and day <= ${to}
      group by canvas_id, slug, title, outcome, up_to_ms order by title, canvas_id`,
  ]);
  return {
    ...range,
    total: sumUp(days),
    days: [...Map.groupBy(days, ({ day }) => day)].map(([day, group]) => ({
      day: utcDay(Number(day) * DAY_MS),
      ...sumUp(group),
    })),
    canvases: [...Map.groupBy(canvases, ({ canvas_id }) => canvas_id)].map(([canvasId, group]) => ({
      canvasId,
      slug: group[0]?.slug ?? "",
      title: group[0]?.title ?? "",
      ...sumUp(group),
    })),
  };
}

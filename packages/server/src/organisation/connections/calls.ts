import type { ConnectionCalls, ProfileUsage } from "@easel/protocol/management";
import { optional, type Step } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { DAY_MS, type DayRange, utcDay } from "../days.ts";

/** The upper bounds, in ms, of the ranges in which durations are counted. Durations above 60,000 ms are counted in the last range. */
export const DURATION_BOUNDS = [
  1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 200, 350, 500, 750, 1_000, 1_500, 2_000, 3_500, 5_000, 7_500, 10_000,
  60_000,
];

/** The maximum number of statements in a transaction. */
const AT_ONCE = 100;

/** A finished call through a Connection. */
export interface FinishedCall {
  canvasId: string;
  profile: string;
  /** The class of the upstream's status, such as `2xx`, an error code, or `aborted` if the caller disconnected. */
  outcome: string;
  ms: number;
}

/** Counts a call in memory. Nothing waits for the database, and a process that is killed loses the calls of the last seconds. */
export function countCall({ canvasId, profile, outcome, ms }: FinishedCall, { callTally, clock }: Env): void {
  const upToMs = DURATION_BOUNDS.find((bound) => ms <= bound) ?? DURATION_BOUNDS.at(-1) ?? 0;
  const day = Math.floor(clock() / DAY_MS);
  callTally.add([canvasId, profile, day, outcome, upToMs], 1, Math.round(ms));
}

/**
 * Adds the counts in memory to those in the database. If this fails, throws and keeps the unwritten counts in memory for the next attempt.
 */
export async function writeCounts({ db, callTally }: Env): Promise<void> {
  const sums = callTally.take();
  try {
    while (sums.length > 0) {
      await db.batch(sums.slice(0, AT_ONCE).map(({ key, calls, ms }) => stepFor(key, calls, ms)));
      sums.splice(0, AT_ONCE);
    }
  } catch (error) {
    for (const { key, calls, ms } of sums) callTally.add(key, calls, ms);
    throw error;
  }
}

/** Returns the statement that adds a count. It inserts nothing if the canvas has been removed since the call. */
function stepFor(key: readonly (string | number)[], calls: number, ms: number): Step {
  const [canvasId = "", profile = "", day = 0, outcome = "", upToMs = 0] = key;
  return optional`
    insert into connection_calls (canvas_id, profile, day, outcome, up_to_ms, calls, ms)
    select id, ${profile}, ${day}, ${outcome}, ${upToMs}, ${calls}, ${ms} from canvases where id = ${canvasId}
    on conflict (canvas_id, profile, day, outcome, up_to_ms)
    do update set calls = connection_calls.calls + excluded.calls, ms = connection_calls.ms + excluded.ms`;
}

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

/**
 * Counts a request of a guest or visitor on the current day (UTC), unless `most` requests are counted already. One statement compares and
 * adds, so that requests at the same time never exceed the limit. Returns null if the request was counted, otherwise the time in ms until
 * the next day.
 */
export async function takeOfDay(
  canvasId: string,
  profile: string,
  most: number,
  { db, clock }: Env,
): Promise<number | null> {
  const now = clock();
  const day = Math.floor(now / DAY_MS);
  const counted = await db.run`
    insert into connection_days (canvas_id, profile, day, requests) values (${canvasId}, ${profile}, ${day}, 1)
    on conflict (canvas_id, profile, day) do update set requests = connection_days.requests + 1
    where connection_days.requests < ${most}`;
  return counted === 1 ? null : (day + 1) * DAY_MS - now;
}

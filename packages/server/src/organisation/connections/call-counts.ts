import { optional, type Step } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { DAY_MS } from "../days.ts";

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

import type { SpendScope } from "@easel/protocol/ai";
import { optional, type Step, sql } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { monthOf, utcDay } from "../days.ts";
import type { InstanceSettings } from "../instance-settings.ts";
import { toNano } from "./cost.ts";

/** The caller, canvas and time of an AI request, which determine the caps that it counts against. */
export interface Spender {
  userId: string;
  guest: boolean;
  canvasId: string;
  /** The start of the request, in epoch milliseconds. */
  startedAt: number;
}

/**
 * Identifies a row of the table `ai_spend`. A row has the amounts spent and reserved that count against one cap, for example those of one
 * person on one day.
 */
export interface SpendRow {
  scope: SpendScope;
  subject: string;
  /** The day or month in UTC, such as `2026-01-31` or `2026-01`. Empty for a guest, whose cap has no period. */
  period: string;
  /** The canvas that the row belongs to: the row is removed when the canvas is purged. Null for the row of a person. */
  canvasId: string | null;
}

/**
 * Returns the two rows in which the cost of a request is counted: first the row of the person on this day, or of the guest, then the row of
 * the canvas in this month.
 */
export function spendRows({ userId, guest, canvasId, startedAt }: Spender): SpendRow[] {
  const day = utcDay(startedAt);
  return [
    guest
      ? { scope: "guest", subject: userId, period: "", canvasId }
      : { scope: "user_daily", subject: userId, period: day, canvasId: null },
    { scope: "canvas_monthly", subject: canvasId, period: monthOf(day), canvasId },
  ];
}

/** Maps the scope of each cap to the instance setting that contains the cap. */
const SETTINGS = {
  user_daily: "ai.userDailyUsd",
  canvas_monthly: "ai.canvasMonthlyUsd",
  guest: "ai.guestUsd",
} as const satisfies Record<SpendScope, keyof InstanceSettings>;

/** Returns the cap of a scope, in billionths of a US dollar. */
export const capOf = (scope: SpendScope, settings: InstanceSettings): number =>
  toNano(settings[SETTINGS[scope]]);

/** Returns the sum of the spent and the reserved amount in a row, in billionths of a US dollar. Returns 0 if there is no such row. */
export async function usedIn({ scope, subject, period }: SpendRow, { db }: Pick<Env, "db">): Promise<number> {
  const row = await db.get<{ used: number }>`
    select spent + reserved as used from ai_spend where scope = ${scope} and subject = ${subject} and period = ${period}`;
  return Number(row?.used ?? 0);
}

/** Returns the scope of the first row whose cap is used up, or null if no cap is. */
export async function exceededCap(
  rows: SpendRow[],
  settings: InstanceSettings,
  env: Pick<Env, "db">,
): Promise<SpendScope | null> {
  const used = await Promise.all(rows.map((row) => usedIn(row, env)));
  const exceeded = rows.find(({ scope }, index) => (used[index] ?? 0) >= capOf(scope, settings));
  return exceeded?.scope ?? null;
}

/**
 * Builds two batch steps: the first creates the row if it is missing, the second reserves `amount` in it. If the cap is used up, the second
 * step changes no row, which rolls back the batch. One request may go over the cap; every later one is refused.
 */
export const reserveIn = (
  { scope, subject, period, canvasId }: SpendRow,
  amount: number,
  settings: InstanceSettings,
): [Step, Step] => [
  optional`
    insert into ai_spend (scope, subject, period, canvas_id) values (${scope}, ${subject}, ${period}, ${canvasId})
    on conflict (scope, subject, period) do nothing`,
  sql`
    update ai_spend set reserved = reserved + ${amount}
    where scope = ${scope} and subject = ${subject} and period = ${period}
      and spent + reserved < ${capOf(scope, settings)}`,
];

/**
 * Builds the batch step that removes the reservation of a request from a row and adds its cost. Changes nothing if the row is missing
 * because its canvas was purged.
 */
export const settleIn = (
  { scope, subject, period }: SpendRow,
  reserved: number,
  cost: number,
): Step => optional`
  update ai_spend set reserved = reserved - ${reserved}, spent = spent + ${cost}
  where scope = ${scope} and subject = ${subject} and period = ${period}`;

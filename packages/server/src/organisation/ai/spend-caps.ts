import type { SpendScope } from "@easel/protocol/ai";
import { optional, type Step, sql } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import type { InstanceSettings } from "../instance-settings.ts";
import { toNano } from "./cost.ts";

/** The caller, canvas and time of an AI request, which determine the caps that it counts against. */
export interface Spender {
  userId: string;
  guest: boolean;
  canvasId: string;
  /** Epoch milliseconds. */
  startedAt: number;
}

/** The row that sums up the spend under a cap. */
export interface SpendRow {
  scope: SpendScope;
  subject: string;
  /** A day or a month in UTC. Empty for a guest, whose cap is for all time. */
  period: string;
  /** The canvas with which the row is removed; null for the row of a person. */
  canvasId: string | null;
}

/** Returns the rows that a request counts in: the person's day, or the guest, and then the canvas's month. */
export function spendRows({ userId, guest, canvasId, startedAt }: Spender): SpendRow[] {
  const day = new Date(startedAt).toISOString().slice(0, "2026-01-01".length);
  const month = day.slice(0, "2026-01".length);
  return [
    guest
      ? { scope: "guest", subject: userId, period: "", canvasId }
      : { scope: "user_daily", subject: userId, period: day, canvasId: null },
    { scope: "canvas_monthly", subject: canvasId, period: month, canvasId },
  ];
}

/** The instance settings with the caps, by scope. */
const SETTINGS = {
  user_daily: "ai.userDailyUsd",
  canvas_monthly: "ai.canvasMonthlyUsd",
  guest: "ai.guestUsd",
} as const satisfies Record<SpendScope, keyof InstanceSettings>;

/** Returns a cap in billionths of a US dollar. */
export const capOf = (scope: SpendScope, settings: InstanceSettings): number =>
  toNano(settings[SETTINGS[scope]]);

/** Reads what is spent and reserved in a row, in billionths of a US dollar. */
export async function usedIn({ scope, subject, period }: SpendRow, { db }: Pick<Env, "db">): Promise<number> {
  const row = await db.get<{ used: number }>`
    select spent + reserved as used from ai_spend where scope = ${scope} and subject = ${subject} and period = ${period}`;
  return Number(row?.used ?? 0);
}

/** Returns the first cap that is used up, or null. */
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
 * Builds the two steps that reserve an amount in a row. The second one changes nothing, and so rolls back its batch, if the cap is used up.
 * A request whose reservation reaches the cap is admitted, and every later one refused, so the spend exceeds a cap by less than one request.
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

/** Builds the step that replaces a reservation by a cost. The row is missing if its canvas was removed for good meanwhile. */
export const settleIn = (
  { scope, subject, period }: SpendRow,
  reserved: number,
  cost: number,
): Step => optional`
  update ai_spend set reserved = reserved - ${reserved}, spent = spent + ${cost}
  where scope = ${scope} and subject = ${subject} and period = ${period}`;

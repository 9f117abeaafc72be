import type { SpendScope } from "@easel/protocol/ai";
import { type NamedStep, type Optional, optional, sql, sqlText, step } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { monthOf, utcDay } from "../days.ts";
import type { InstanceSettings } from "../instance-settings.ts";
import { toNano } from "./prices.ts";

/** The caller, canvas and time of an AI request, which determine the caps that it counts against. */
export interface Spender {
  userId: string;
  guest: boolean;
  /** The person who has invited a guest. Null for a person. */
  invitedBy: string | null;
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
  /** The id of a user, guest or canvas. Empty for the instance. */
  subject: string;
  /** The day or month in UTC, such as `2026-01-31` or `2026-01`. Empty for a guest, whose cap has no period. */
  period: string;
  /** The canvas that the row belongs to: the row is removed when the canvas is purged. Null for the row of a person or of the instance. */
  canvasId: string | null;
}

/**
 * Returns the rows in which the cost of a request is counted: the row of the guest, the row of the person on this day, or for a guest of the
 * person who has invited them, and the rows of the canvas and of the instance in this month. If several caps are used up, the first one is
 * reported. All requests lock their rows in this order.
 */
export function spendRows({ userId, guest, invitedBy, canvasId, startedAt }: Spender): SpendRow[] {
  const day = utcDay(startedAt);
  const month = monthOf(day);
  const person = guest ? invitedBy : userId;
  const rows: SpendRow[] = [];
  if (guest) rows.push({ scope: "guest", subject: userId, period: "", canvasId });
  if (person !== null) rows.push({ scope: "user_daily", subject: person, period: day, canvasId: null });
  rows.push({ scope: "canvas_monthly", subject: canvasId, period: month, canvasId });
  rows.push({ scope: "instance_monthly", subject: "", period: month, canvasId: null });
  return rows;
}

/** Maps the scope of each cap to the instance setting that contains the cap. */
const SETTINGS = {
  user_daily: "ai.userDailyUsd",
  canvas_monthly: "ai.canvasMonthlyUsd",
  guest: "ai.guestUsd",
  instance_monthly: "ai.instanceMonthlyUsd",
} as const satisfies Record<SpendScope, keyof InstanceSettings>;

/** Returns the cap of a scope, in billionths of a US dollar. A scope without a cap has one that no amount reaches. */
export const capOf = (scope: SpendScope, settings: InstanceSettings): number =>
  toNano(settings[SETTINGS[scope]] ?? Number.POSITIVE_INFINITY);

/** Reads the rows of up to four caps at once. A missing key finds no row. */
const USED = sqlText(
  "select scope, spent + reserved as used from ai_spend",
  "where (scope, subject, period) in (values (?, ?, ?), (?, ?, ?), (?, ?, ?), (?, ?, ?))",
);
const MOST_ROWS = 4;

/** Returns the scope of the first row whose cap is used up, or null if no cap is. */
export async function exceededCap(
  rows: SpendRow[],
  settings: InstanceSettings,
  { db }: Pick<Env, "db">,
): Promise<SpendScope | null> {
  const keys = Array.from({ length: MOST_ROWS }, (_, index) => rows[index]).flatMap((row) =>
    row === undefined ? ["", "", ""] : [row.scope, row.subject, row.period],
  );
  const found = await db.all<{ scope: SpendScope; used: number }>(USED, ...keys);
  const used = new Map(found.map((row) => [row.scope, Number(row.used)]));
  const exceeded = rows.find(({ scope }) => (used.get(scope) ?? 0) >= capOf(scope, settings));
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
): NamedStep<SpendScope | null>[] => [
  optional`
    insert into ai_spend (scope, subject, period, canvas_id) values (${scope}, ${subject}, ${period}, ${canvasId})
    on conflict (scope, subject, period) do nothing`,
  step(
    scope,
    sql`
    update ai_spend set reserved = reserved + ${amount}
    where scope = ${scope} and subject = ${subject} and period = ${period}
      and spent + reserved < ${capOf(scope, settings)}`,
  ),
];

/**
 * Builds the batch step that removes the reservation of a request from a row and adds its cost. Changes nothing if the row is missing
 * because its canvas was purged.
 */
export const settleIn = (
  { scope, subject, period }: SpendRow,
  reserved: number,
  cost: number,
): Optional => optional`
  update ai_spend set reserved = reserved - ${reserved}, spent = spent + ${cost}
  where scope = ${scope} and subject = ${subject} and period = ${period}`;

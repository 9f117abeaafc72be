import type { Value } from "../drivers/db/db.ts";

/** Half of the largest finite number. `STAYS_FINITE` compares half of a sum with it, because the whole sum could overflow. */
const HALF = Number.MAX_VALUE / 2;

/** A number with an absolute value below this limit stays finite when any finite number is added. */
const HARMLESS = 1e291;

/**
 * The SQL condition that column `number` stays finite when an amount is added. Without the condition, SQLite would store infinity and
 * PostgreSQL would throw. `finiteValues` returns the values for the placeholders.
 */
export const STAYS_FINITE = "abs(case when abs(number) < ? then 0 else number * 0.5 + ? end) <= ?";

/** Returns the values for the placeholders of `STAYS_FINITE`, for adding `amount`. */
export const finiteValues = (amount: number): Value[] => [HARMLESS, amount / 2, HALF];

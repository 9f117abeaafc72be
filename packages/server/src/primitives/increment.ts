import type { Value } from "../drivers/db/db.ts";

/** Half of the largest finite number. Sums are compared at half their size, so that they cannot overflow. */
const HALF = Number.MAX_VALUE / 2;

/** A number with a smaller absolute value stays finite when any finite number is added. */
const HARMLESS = 1e291;

/**
 * The SQL condition under which column `number` stays finite when an amount is added. Otherwise SQLite would store infinity, and PostgreSQL
 * would throw. `finiteValues` returns the values of the condition.
 */
export const STAYS_FINITE = "abs(case when abs(number) < ? then 0 else number * 0.5 + ? end) <= ?";

/** Returns the values of `STAYS_FINITE` for an amount. */
export const finiteValues = (amount: number): Value[] => [HARMLESS, amount / 2, HALF];

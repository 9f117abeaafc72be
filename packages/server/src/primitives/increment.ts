import type { Value } from "../drivers/db/db.ts";

/** Half of the greatest finite number: sums are compared at half their size, where they cannot overflow. */
const HALF = Number.MAX_VALUE / 2;

/** A number below it stays finite with any finite number added. */
const HARMLESS = 1e291;

/**
 * The condition, in SQL, under which column `number` stays finite with an amount added. SQLite would store infinity, PostgreSQL
 * would throw. Its values are those of `finiteValues`.
 */
export const STAYS_FINITE = "abs(case when abs(number) < ? then 0 else number * 0.5 + ? end) <= ?";

/** Returns the values of `STAYS_FINITE` for an amount. */
export const finiteValues = (amount: number): Value[] => [HARMLESS, amount / 2, HALF];

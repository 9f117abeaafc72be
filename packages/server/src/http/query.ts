import { LIMITS } from "@easel/protocol/limits";
import { refuse } from "./refusal.ts";

/** The parsed query of a URL. A parameter that is repeated has an array of values. */
export type Query = Record<string, string | string[] | undefined>;

/** Returns the first value of a query parameter, or undefined if the parameter is absent or its first value is empty. */
export function firstValue(query: Query, name: string): string | undefined {
  const value = query[name];
  return (Array.isArray(value) ? value[0] : value) || undefined;
}

/**
 * Parses the query parameter `limit` of a list and clamps it to the range 1 to 1,000. Returns 100 if it is absent or not a number
 * (specification 4.3).
 */
export function pageLimit(query: Query): number {
  const limit = Number(firstValue(query, "limit")?.trim() || Number.NaN);
  if (Number.isNaN(limit)) return LIMITS.pageDefault.value;
  return Math.min(Math.max(Math.trunc(limit), 1), LIMITS.pageMax.value);
}

/**
 * Parses the query parameter `limit` of a list. Returns 100 if it is absent. Throws 400 `INVALID_BODY` unless it is a whole number from 1
 * to 1,000 (specification 4.9).
 */
export function strictLimit(query: Query): number {
  const given = query.limit;
  if (given === undefined) return LIMITS.pageDefault.value;
  const limit = typeof given === "string" && /^\d{1,4}$/.test(given) ? Number(given) : 0;
  return limit >= 1 && limit <= LIMITS.pageMax.value
    ? limit
    : refuse("INVALID_BODY", { message: "`limit` must be a whole number from 1 to 1,000." });
}

import { LIMITS } from "@easel/protocol/limits";
import { refuse } from "./refusal.ts";

/** The query of a request: a name given twice has several values. */
export type Query = Record<string, string | string[] | undefined>;

/** One value of a query name; of several, the first. Empty counts as absent. */
export function one(query: Query, name: string): string | undefined {
  const value = query[name];
  return (Array.isArray(value) ? value[0] : value) || undefined;
}

/** `limit` of a list: clamped to 1 and 1,000, 100 where it is absent or not a number (specification 4.3). */
export function pageLimit(query: Query): number {
  const limit = Number(one(query, "limit")?.trim() || Number.NaN);
  if (Number.isNaN(limit)) return LIMITS.pageDefault.value;
  return Math.min(Math.max(Math.trunc(limit), 1), LIMITS.pageMax.value);
}

/** `limit` of a list that takes whole numbers from 1 to 1,000 only: 100 where it is absent, else 400 (specification 4.9). */
export function strictLimit(query: Query): number {
  const given = query.limit;
  if (given === undefined) return LIMITS.pageDefault.value;
  const limit = typeof given === "string" && /^\d{1,4}$/.test(given) ? Number(given) : 0;
  return limit >= 1 && limit <= LIMITS.pageMax.value
    ? limit
    : refuse("INVALID_BODY", { message: "`limit` must be a whole number from 1 to 1,000." });
}

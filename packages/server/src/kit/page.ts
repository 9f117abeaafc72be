import { LIMITS } from "@easel/protocol/limits";

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

import { LIMITS } from "@easel/protocol/limits";
import { runtimeRest } from "./canvas-path.ts";
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

/** A page of a list. `nextCursor` is null on the last page. */
export interface Paged<Row> {
  entries: Row[];
  nextCursor: string | null;
}

/**
 * Builds a page of at most `limit` rows from the rows that a query for `limit + 1` rows returned. `nextCursor` is the cursor of the last
 * row on the page, or null if it is the last page. `more` is true if the query stopped early, so that other pages follow in any case.
 */
export function paged<Row>(
  rows: Row[],
  limit: number,
  cursorOf: (row: Row) => string,
  more = false,
): Paged<Row> {
  const entries = rows.slice(0, limit);
  const last = more || rows.length > limit ? entries.at(-1) : undefined;
  return { entries, nextCursor: last === undefined ? null : cursorOf(last) };
}

/**
 * Returns the number of rows at the start of a list that fit into `budget`. `sizeOf` returns the size of one row. Returns at least 1 if
 * there are any rows.
 */
export function countWithin<Row>(rows: Row[], budget: number, sizeOf: (row: Row) => number): number {
  let sum = 0;
  const past = rows.findIndex((row) => {
    sum += sizeOf(row);
    return sum > budget;
  });
  return past === -1 ? rows.length : Math.max(past, 1);
}

/*
 * The router rejects a path that is not percent-encoded UTF-8 before any handler runs. In the runtime API, authentication and the other
 * steps of the pipeline must come first. So such a path is replaced by one that the router accepts, and rejected after the pipeline.
 */

/** Decodes a path. Returns null if it is not percent-encoded UTF-8. */
function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

const isDecodable = (path: string): boolean => !path.includes("%") || decoded(path) !== null;

const pathOf = (url: string): string => url.split("?", 1)[0] as string;

/**
 * Returns the URL of a runtime API request, with `%` replaced by `_` in the path segments that cannot be decoded. Returns any other URL
 * unchanged.
 */
export function routableUrl(url: string): string {
  if (!url.includes("%") || runtimeRest(url) === null) return url;
  const path = pathOf(url);
  if (isDecodable(path)) return url;
  const segments = path.split("/").map((each) => (isDecodable(each) ? each : each.replaceAll("%", "_")));
  return segments.join("/") + url.slice(path.length);
}

/**
 * Throws 400 `INVALID_BODY` if the path of a URL cannot be decoded. `url` is the original URL of the request, not the result of
 * `routableUrl`.
 */
export function requireDecodable(url: string): void {
  if (url.includes("%") && !isDecodable(pathOf(url)))
    refuse("INVALID_BODY", { message: "The path is not percent-encoded UTF-8." });
}

import { isId } from "../crypto/ids.ts";
import { firstValue, type Query } from "../http/query.ts";

/**
 * The position in a list at which a page starts. `updatedAt` (epoch milliseconds) and `id` are those of the last canvas of the previous
 * page. `page` is the number of the page, from 1.
 */
export interface Cursor {
  page: number;
  updatedAt: number;
  id: string;
}

/** The cursor of the first page. Lists begin with the latest change, so this cursor has a later time and a greater id than every canvas. */
export const FIRST: Cursor = { page: 1, updatedAt: Number.MAX_SAFE_INTEGER, id: "z" };

/** Serializes a cursor for a query parameter. */
export const formatCursor = ({ page, updatedAt, id }: Cursor): string => `${page}.${updatedAt}.${id}`;

/** Parses the cursor in the query parameter `name`. Returns the cursor of the first page if the parameter is absent or malformed. */
export function parseCursor(query: Query, name: string): Cursor {
  const [, page, updatedAt, id = ""] =
    /^([1-9]\d{0,5})\.(\d{1,15})\.(.+)$/.exec(firstValue(query, name) ?? "") ?? [];
  return isId(id) ? { page: Number(page), updatedAt: Number(updatedAt), id } : FIRST;
}

import { isId } from "../crypto/ids.ts";
import { firstValue, type Query } from "../http/query.ts";

/** The start of a page: after the canvas changed at `updatedAt` with this id. `page` counts from 1 and is only displayed. */
export interface Cursor {
  page: number;
  updatedAt: number;
  id: string;
}

/** The start of a list: later than every time and id. */
export const FIRST: Cursor = { page: 1, updatedAt: Number.MAX_SAFE_INTEGER, id: "z" };

/** Serializes a cursor for a query parameter. */
export const formatCursor = ({ page, updatedAt, id }: Cursor): string => `${page}.${updatedAt}.${id}`;

/** Parses the cursor in a query parameter; the start of the list where it is absent or malformed. */
export function parseCursor(query: Query, name: string): Cursor {
  const [, page, updatedAt, id = ""] =
    /^([1-9]\d{0,5})\.(\d{1,15})\.(.+)$/.exec(firstValue(query, name) ?? "") ?? [];
  return isId(id) ? { page: Number(page), updatedAt: Number(updatedAt), id } : FIRST;
}

import { isId } from "../crypto/ids.ts";
import { firstValue, type Query } from "../http/query.ts";

/** Where a page of a list begins: after the canvas changed at `updatedAt` with this id. `page` counts from 1 and is shown only. */
export interface Cursor {
  page: number;
  updatedAt: number;
  id: string;
}

/** The beginning of a list: after every time and every id. */
export const FIRST: Cursor = { page: 1, updatedAt: Number.MAX_SAFE_INTEGER, id: "z" };

/** A cursor as a query parameter holds it. */
export const textOf = ({ page, updatedAt, id }: Cursor): string => `${page}.${updatedAt}.${id}`;

/** The cursor in a query parameter; the beginning where there is none that can be read. */
export function cursorOf(query: Query, name: string): Cursor {
  const [, page, updatedAt, id = ""] =
    /^([1-9]\d{0,5})\.(\d{1,15})\.(.+)$/.exec(firstValue(query, name) ?? "") ?? [];
  return isId(id) ? { page: Number(page), updatedAt: Number(updatedAt), id } : FIRST;
}

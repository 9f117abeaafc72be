import type { CanvasSort } from "@easel/protocol/management";
import { isId } from "../crypto/ids.ts";
import { type Sql, sqlText } from "../drivers/db/db.ts";

/** How a list is sorted: as a caller asks, or the newest first by `id`, like all lists in which one cannot choose. */
export type CanvasOrder = CanvasSort | "id";

/**
 * The position of a canvas in a list. `key` is what the list is sorted by: a time in epoch milliseconds, the sort key of a title, or nothing
 * where the id is enough. Canvases with the same key are sorted by id.
 */
export interface Position {
  key: number | string | null;
  id: string;
}

/** An order of canvases. */
interface Order {
  /** The column of `key`. Null if the list is sorted by id alone. */
  column: string | null;
  /** What a cursor begins with, a letter that no other order has. */
  mark: string;
  /** Whether greater keys and ids come first. */
  isDescending: boolean;
  formatKey(key: Position["key"]): string;
  /** Returns null for a text that is no key. */
  parseKey(text: string): Position["key"];
}

/** The latest first, by a column of times. */
const byTime = (column: string, mark: string): Order => ({
  column,
  mark,
  isDescending: true,
  formatKey: String,
  parseKey: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : null),
});

/** The longest text of a key of a title in a cursor. */
const TITLE_CHARACTERS = 1_200;

/**
 * The orders of canvases. Each but `id` has an index for each list (`migrations/0045_canvas_lists.sql`, `0055_page_views.sql`). Ids grow in the order of creation, so
 * `id` is about the same as `created`.
 */
const ORDERS: Record<CanvasOrder, Order> = {
  id: {
    column: null,
    mark: "",
    isDescending: true,
    formatKey: () => "",
    parseKey: () => null,
  },
  used: byTime("last_used_at", "v"),
  created: byTime("created_at", "c"),
  updated: byTime("updated_at", "u"),
  title: {
    column: "title_key",
    mark: "t",
    isDescending: false,
    formatKey: (key) => Buffer.from(String(key)).toString("base64url"),
    parseKey(text) {
      const key = Buffer.from(text, "base64url").toString();
      return text.length <= TITLE_CHARACTERS && !key.includes("\0") ? key : null;
    },
  },
};

/** Serializes a position for the query parameter `cursor`: the id, or the mark of the order, the key and the id. */
export function formatPosition(order: CanvasOrder, { key, id }: Position): string {
  const { column, mark, formatKey } = ORDERS[order];
  return column === null ? id : `${mark}${formatKey(key)}.${id}`;
}

/** Parses a cursor of a list in this order. Returns null for any other text. */
export function parsePosition(order: CanvasOrder, cursor: string): Position | null {
  const { column, mark, parseKey } = ORDERS[order];
  if (column === null) return isId(cursor) ? { key: null, id: cursor } : null;
  const end = cursor.indexOf(".");
  const id = cursor.slice(end + 1);
  const key = end > 0 && cursor[0] === mark ? parseKey(cursor.slice(1, end)) : null;
  return key !== null && isId(id) ? { key, id } : null;
}

/** The SQL of an order. */
interface OrderSql {
  /** The expression of `key`. */
  key: string;
  /** The condition that a canvas comes after a position; empty for the first page. */
  isAfter: Sql[];
  /** What follows `order by`. */
  by: string;
}

/** Returns the SQL that reads canvases in an order, from after a position on. Null is before all canvases. */
export function orderSql(order: CanvasOrder, after: Position | null): OrderSql {
  const { column, isDescending } = ORDERS[order];
  const [sign, direction] = isDescending ? ["<", "desc"] : [">", "asc"];
  if (column === null)
    return {
      key: "null",
      isAfter: after === null ? [] : [[sqlText(`canvases.id ${sign} ?`), after.id]],
      by: `canvases.id ${direction}`,
    };
  return {
    key: column,
    isAfter:
      after === null ? [] : [[sqlText(`(${column}, canvases.id) ${sign} (?, ?)`), after.key, after.id]],
    by: `${column} ${direction}, canvases.id ${direction}`,
  };
}

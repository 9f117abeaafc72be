import { firstValue, type Query as Parameters, strictLimit } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import {
  AUTHOR,
  COMPARISONS,
  type Comparison,
  isComparable,
  isScalar,
  keyOf,
  nameOf,
  type Range,
  type Scalar,
} from "./fields.ts";

/*
 * The query parameters of these requests:
 *
 * GET /collections/{name}?where=…&orderBy=…
 * GET /collections/{name}/count?where=…
 *
 *   where    {"value.status": "open", "value.votes": {"gte": 3}, "authorId": "…"}      JSON, URL-encoded
 *   orderBy  createdAt, updatedAt or value.{field}; descending with a leading hyphen
 */

const MAX_CONDITIONS = 3;
const MAX_WHERE_LENGTH = 4_096;

/**
 * A condition on a record, such as `{"value.votes": {"gte": 3}}`. `name` is the name under which the field is indexed, here that of
 * `votes`. The record must have this field, and its encoded value must lie between `from` (included) and `before` (not included).
 */
export interface Condition extends Range {
  name: Buffer;
  /** The value that the field must equal. Absent if the condition is not an equality. */
  is?: Scalar;
}

/** The sort order of a list: by a time, or by the value of a field. `name` is the name under which this field is indexed. */
export type Order = { by: "createdAt" | "updatedAt" } | { by: "field"; name: Buffer };

/**
 * The position of a record in a sorted list. `at` is the value by which the list is sorted: epoch milliseconds for `updatedAt`, or an
 * encoded field value. For `createdAt`, `at` is null, because the ids sort by the time of creation.
 */
export interface Position {
  at: number | Uint8Array | null;
  id: string;
}

/** A parsed request for a page of a collection. */
export interface RecordQuery {
  conditions: Condition[];
  order: Order;
  descending: boolean;
  after: Position | null;
  limit: number;
}

const reject = (message: string): never => refuse("INVALID_BODY", { message });

const FIELD = /^value\.(.+)$/s;

/**
 * Returns the name under which a field is indexed. `given` is the field in a query: `authorId` or `value.{field}`. Throws 400
 * `INVALID_BODY` if `given` is neither, or if `{field}` is too long or malformed.
 */
function parseField(given: string): Buffer {
  if (given === "authorId") return AUTHOR;
  const field = FIELD.exec(given)?.[1];
  const name = field === undefined ? null : nameOf(field);
  return name ?? reject(`\`${given.slice(0, 100)}\` is no field: write authorId or value.{field}.`);
}

function parseCondition(name: Buffer, comparison: string, operand: unknown): Condition {
  if (!Object.hasOwn(COMPARISONS, comparison)) {
    return reject(
      `\`${comparison.slice(0, 100)}\` is no comparison: there are ${Object.keys(COMPARISONS).join(", ")}.`,
    );
  }
  if (!isScalar(operand)) return reject("A field is compared with a text, a number, true, false or null.");
  if (!isComparable(operand))
    return reject("A text to compare with must be shorter than 256 bytes, and well-formed.");
  if (comparison === "startsWith" && typeof operand !== "string") return reject("`startsWith` takes a text.");
  const range = COMPARISONS[comparison as Comparison](keyOf(operand));
  return { name, ...range, ...(comparison === "eq" ? { is: operand } : {}) };
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseConditions(where: string): Condition[] {
  if (where.length > MAX_WHERE_LENGTH) reject("`where` is too long.");
  const given = parseJsonOrUndefined(where);
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return reject("`where` must be a JSON object of fields.");
  }
  const conditions = Object.entries(given).flatMap(([field, wanted]) => {
    const name = parseField(field);
    if (Array.isArray(wanted))
      return reject("A field is compared with a text, a number, true, false or null.");
    const comparisons =
      typeof wanted === "object" && wanted !== null ? Object.entries(wanted) : [["eq", wanted] as const];
    if (comparisons.length === 0) return reject("A field is compared with something: give a comparison.");
    return comparisons.map(([comparison, operand]) => parseCondition(name, comparison, operand));
  });
  return conditions.length <= MAX_CONDITIONS
    ? conditions
    : reject(`\`where\` may hold ${MAX_CONDITIONS} comparisons at the most.`);
}

function parseOrder(given: string): Order {
  if (given === "createdAt" || given === "updatedAt") return { by: given };
  if (FIELD.test(given)) return { by: "field", name: parseField(given) };
  return reject(
    "`orderBy` must be createdAt, updatedAt or value.{field}, with a hyphen in front for the reverse.",
  );
}

/** Matches record ids. Texts that do not match are never sent to the database. */
export const RECORD_ID = /^[0-9a-f-]{1,128}$/;

/**
 * Parses a cursor. In order of creation, a cursor is the id of a record; in any other order, it is the value by which the list is sorted, a
 * dot and the id. Throws 400 `INVALID_BODY` for an invalid cursor.
 */
export function parseCursor(cursor: string, { by }: Order): Position {
  const [at = "", id = ""] = by === "createdAt" ? ["", cursor] : cursor.split(".");
  const fits = by === "createdAt" || (by === "updatedAt" ? /^\d{1,16}$/ : /^[\w-]{2,400}$/).test(at);
  if (!RECORD_ID.test(id) || !fits || cursor.split(".").length > 2) reject("`cursor` is none of this list.");
  if (by === "createdAt") return { at: null, id };
  return { at: by === "updatedAt" ? Number(at) : Buffer.from(at, "base64url"), id };
}

/** Returns the cursor of the page after a position. */
export function cursorAt({ at, id }: Position, { by }: Order): string {
  if (by === "createdAt") return id;
  return `${at instanceof Uint8Array ? Buffer.from(at).toString("base64url") : at}.${id}`;
}

/** Returns the cursor of the page after a record. */
export function cursorOf(
  { id, value, updated_at }: { id: string; value: string | null; updated_at: number },
  order: Order,
): string {
  if (order.by !== "field") return cursorAt({ at: updated_at, id }, order);
  // A list that is sorted by a field contains only objects with that field.
  const at = keyOf(JSON.parse(value ?? "")[order.name.toString()]);
  return cursorAt({ at, id }, order);
}

/** Returns the value of a query parameter, or undefined if it is absent. Throws 400 `INVALID_BODY` if it is repeated. */
function single(parameters: Parameters, name: string): string | undefined {
  return Array.isArray(parameters[name])
    ? reject(`\`${name}\` may be given once.`)
    : firstValue(parameters, name);
}

/** Parses the conditions in the query parameter `where`. Returns null if it is absent. Throws 400 `INVALID_BODY` if it is invalid. */
export function parseWhere(parameters: Parameters): Condition[] | null {
  const where = single(parameters, "where");
  return where === undefined ? null : parseConditions(where);
}

/** Parses the query parameters of a list. Throws 400 `INVALID_BODY` if one is invalid. */
export function parseQuery(parameters: Parameters): RecordQuery {
  const conditions = parseWhere(parameters) ?? [];
  const orderBy = single(parameters, "orderBy") ?? "createdAt";
  const cursor = single(parameters, "cursor");
  const descending = orderBy.startsWith("-");
  const order = parseOrder(descending ? orderBy.slice(1) : orderBy);
  return {
    conditions,
    order,
    descending,
    after: cursor === undefined ? null : parseCursor(cursor, order),
    limit: strictLimit(parameters),
  };
}

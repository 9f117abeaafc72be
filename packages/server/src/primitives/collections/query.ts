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
 * GET /collections/{name}?where=…&orderBy=…
 * GET /collections/{name}/count?where=…
 *
 *   where    {"value.status": "open", "value.votes": {"gte": 3}, "authorId": "…"}      JSON, URL-encoded
 *   orderBy  createdAt, updatedAt or value.{field}; with a hyphen in front from the last to the first
 */

const MOST_CONDITIONS = 3;
const MOST_LENGTH = 4_096;

/** What a record must have: a field whose key lies in a range, which holds one value only where it must equal that. */
export interface Condition extends Range {
  name: Buffer;
  is?: Scalar;
}

/** What records are listed by. */
export type Order = { by: "createdAt" | "updatedAt" } | { by: "field"; name: Buffer };

/** Where the page before ended: what its last record was listed by, and its id. */
export interface Position {
  at: number | Buffer | null;
  id: string;
}

/** A page of a collection, as it is asked for. */
export interface RecordQuery {
  conditions: Condition[];
  order: Order;
  descending: boolean;
  after: Position | null;
  limit: number;
}

const wrong = (message: string): never => refuse("INVALID_BODY", { message });

const FIELD = /^value\.(.+)$/s;

/** The name of a field as a query gives it. */
function fieldNamed(given: string): Buffer {
  if (given === "authorId") return AUTHOR;
  const field = FIELD.exec(given)?.[1];
  const name = field === undefined ? null : nameOf(field);
  return name ?? wrong(`\`${given.slice(0, 100)}\` is no field: write authorId or value.{field}.`);
}

function conditionOf(name: Buffer, comparison: string, operand: unknown): Condition {
  if (!Object.hasOwn(COMPARISONS, comparison)) {
    return wrong(
      `\`${comparison.slice(0, 100)}\` is no comparison: there are ${Object.keys(COMPARISONS).join(", ")}.`,
    );
  }
  if (!isScalar(operand)) return wrong("A field is compared with a text, a number, true, false or null.");
  if (!isComparable(operand))
    return wrong("A text to compare with must be shorter than 256 bytes, and well-formed.");
  if (comparison === "startsWith" && typeof operand !== "string") return wrong("`startsWith` takes a text.");
  const range = COMPARISONS[comparison as Comparison](keyOf(operand));
  return { name, ...range, ...(comparison === "eq" ? { is: operand } : {}) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function conditionsOf(where: string): Condition[] {
  if (where.length > MOST_LENGTH) wrong("`where` is too long.");
  const given = parsed(where);
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return wrong("`where` must be a JSON object of fields.");
  }
  const conditions = Object.entries(given).flatMap(([field, wanted]) => {
    const name = fieldNamed(field);
    if (Array.isArray(wanted))
      return wrong("A field is compared with a text, a number, true, false or null.");
    const comparisons =
      typeof wanted === "object" && wanted !== null ? Object.entries(wanted) : [["eq", wanted] as const];
    if (comparisons.length === 0) return wrong("A field is compared with something: give a comparison.");
    return comparisons.map(([comparison, operand]) => conditionOf(name, comparison, operand));
  });
  return conditions.length <= MOST_CONDITIONS
    ? conditions
    : wrong(`\`where\` may hold ${MOST_CONDITIONS} comparisons at the most.`);
}

function orderOf(given: string): Order {
  if (given === "createdAt" || given === "updatedAt") return { by: given };
  if (FIELD.test(given)) return { by: "field", name: fieldNamed(given) };
  return wrong(
    "`orderBy` must be createdAt, updatedAt or value.{field}, with a hyphen in front for the reverse.",
  );
}

/** What the id of a record looks like; nothing else is worth asking the database about. */
export const RECORD_ID = /^[0-9a-f-]{1,128}$/;

/** Listed as they were made, the cursor is the last record's id; otherwise what it was listed by stands in front. */
export function positionIn(cursor: string, { by }: Order): Position {
  const [at = "", id = ""] = by === "createdAt" ? ["", cursor] : cursor.split(".");
  const fits = by === "createdAt" || (by === "updatedAt" ? /^\d{1,16}$/ : /^[\w-]{2,400}$/).test(at);
  if (!RECORD_ID.test(id) || !fits || cursor.split(".").length > 2) wrong("`cursor` is none of this list.");
  if (by === "createdAt") return { at: null, id };
  return { at: by === "updatedAt" ? Number(at) : Buffer.from(at, "base64url"), id };
}

/** The cursor of the page after a record, of which it needs what the list is in the order of. */
export function cursorOf(
  { id, value, updated_at }: { id: string; value: string | null; updated_at: number },
  order: Order,
): string {
  if (order.by !== "field") return order.by === "createdAt" ? id : `${updated_at}.${id}`;
  // What is listed by a field is an object that has it.
  const at = keyOf(JSON.parse(value ?? "")[order.name.toString()]);
  return `${at.toString("base64url")}.${id}`;
}

/** A parameter that may be given once. */
function only(parameters: Parameters, name: string): string | undefined {
  return Array.isArray(parameters[name])
    ? wrong(`\`${name}\` may be given once.`)
    : firstValue(parameters, name);
}

/** The conditions of a request, or null without any; anything outside the grammar is 400 `INVALID_BODY`. */
export function readWhere(parameters: Parameters): Condition[] | null {
  const where = only(parameters, "where");
  return where === undefined ? null : conditionsOf(where);
}

/** The page that a request asks for; anything outside the grammar is 400 `INVALID_BODY`. */
export function readQuery(parameters: Parameters): RecordQuery {
  const conditions = readWhere(parameters) ?? [];
  const orderBy = only(parameters, "orderBy") ?? "createdAt";
  const cursor = only(parameters, "cursor");
  const descending = orderBy.startsWith("-");
  const order = orderOf(descending ? orderBy.slice(1) : orderBy);
  return {
    conditions,
    order,
    descending,
    after: cursor === undefined ? null : positionIn(cursor, order),
    limit: strictLimit(parameters),
  };
}

import type { Json } from "@easel/protocol/types";
import type { StoredRecord } from "../../../src/primitives/collections/store.ts";
import { toText } from "../../../src/primitives/value.ts";

/*
 * Filters and sorts records in plain JavaScript, for comparison with the list queries of the service. Only scalar fields at the top level
 * of an object count, and only the first 256 bytes of a string.
 */

type Scalar = string | number | boolean | null;

/** The comparisons of one field in a query, keyed by their operators. */
export type Comparisons = Partial<Record<"eq" | "lt" | "lte" | "gt" | "gte" | "startsWith", Scalar>>;

/** A list query. `orderBy` has the form of the query parameter. */
export interface Asked {
  where: [field: string, comparisons: Comparisons][];
  orderBy: string;
}

const TEXT_BYTES = 256;

const kindOf = (value: Scalar) =>
  [null, false, true].includes(value as null) ? String(value) : typeof value;
const KINDS = ["null", "false", "true", "number", "string"];

const bytesOf = (text: string) => Buffer.from(text).subarray(0, TEXT_BYTES);

/** Compares scalars in the order null, false, true, numbers, strings. Strings are compared by their bytes. */
export function compare(a: Scalar, b: Scalar): number {
  const kinds = KINDS.indexOf(kindOf(a)) - KINDS.indexOf(kindOf(b));
  if (kinds !== 0) return kinds;
  if (typeof a === "string") return Buffer.compare(bytesOf(a), bytesOf(b as string));
  return typeof a === "number" ? Math.sign(a - (b as number)) || 0 : 0;
}

/** Returns the scalar of a record that a query names, such as `value.title` or `authorId`; undefined if there is none. */
function fieldOf(record: StoredRecord, field: string): Scalar | undefined {
  if (field === "authorId") return record.author_id;
  const value = JSON.parse(toText(record)) as Json;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const name = field.slice("value.".length);
  const held = Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof held === "object" && held !== null ? undefined : held;
}

const HOLDS: Record<keyof Comparisons, (value: Scalar, operand: Scalar) => boolean> = {
  eq: (value, operand) => compare(value, operand) === 0,
  lt: (value, operand) => compare(value, operand) < 0,
  lte: (value, operand) => compare(value, operand) <= 0,
  gt: (value, operand) => compare(value, operand) > 0,
  gte: (value, operand) => compare(value, operand) >= 0,
  startsWith: (value, operand) => String(value).startsWith(String(operand)),
};

function holds(value: Scalar | undefined, comparisons: Comparisons): boolean {
  if (value === undefined) return false;
  return Object.entries(comparisons).every(
    ([name, operand]) =>
      kindOf(value) === kindOf(operand) && HOLDS[name as keyof Comparisons](value, operand),
  );
}

/** Returns the records that a list query should return, in its order. */
export function listed(records: StoredRecord[], { where, orderBy }: Asked): StoredRecord[] {
  const descending = orderBy.startsWith("-");
  const by = descending ? orderBy.slice(1) : orderBy;
  const keyOf = (record: StoredRecord): Scalar | undefined => {
    if (by === "createdAt") return null;
    return by === "updatedAt" ? record.updated_at : fieldOf(record, by);
  };
  const found = records
    .filter((record) => keyOf(record) !== undefined)
    .filter((record) => where.every(([field, comparisons]) => holds(fieldOf(record, field), comparisons)))
    .sort(
      (a, b) => compare(keyOf(a) as Scalar, keyOf(b) as Scalar) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0),
    );
  return descending ? found.reverse() : found;
}

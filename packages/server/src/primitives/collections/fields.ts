import type { Json } from "@easel/protocol/types";

/**
 * The first byte of a scalar's key, by its kind. Keys are bytes that sort as the values do: null, false, true, numbers, strings.
 * So one index serves equality, comparison, prefix and order, on both engines.
 */
const KINDS = { null: 1, false: 2, true: 3, number: 4, text: 5 } as const;
const AFTER_ALL = Buffer.of(6);

/** The number of bytes of a string that its key contains. Operands are shorter, so that a cut key never equals one. */
const TEXT_BYTES = 256;
const NAME_BYTES = 256;
/** The number of fields of a record that are indexed: the first ones. */
const MAX_FIELDS = 100;

/** A JSON scalar. Only fields with one are indexed. */
export type Scalar = string | number | boolean | null;

/** An indexed field of a record. */
export interface Field {
  name: Buffer;
  key: Buffer;
}

/** The name under which the author is indexed. It is not valid UTF-8, so no field has it. */
export const AUTHOR = Buffer.from("\xffauthor", "latin1");

export const isScalar = (value: unknown): value is Scalar =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

/** Returns the key of a scalar. */
export function keyOf(value: Scalar): Buffer {
  if (typeof value === "number") return Buffer.concat([Buffer.of(KINDS.number), numberBytes(value)]);
  if (typeof value === "string")
    return Buffer.concat([Buffer.of(KINDS.text), Buffer.from(value).subarray(0, TEXT_BYTES)]);
  return Buffer.of(KINDS[String(value) as "null" | "true" | "false"]);
}

/** Encodes a double so that its bytes sort by value: negative ones inverted, the others with the sign bit set. */
function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value === 0 ? 0 : value);
  const negative = bytes.readUInt8(0) >= 0x80;
  for (const [at, byte] of bytes.entries()) bytes[at] = negative ? ~byte : at === 0 ? byte | 0x80 : byte;
  return bytes;
}

/** Whether a scalar has a key: a string with a lone surrogate has no UTF-8. */
const hasKey = (value: Scalar): boolean => typeof value !== "string" || value.isWellFormed();

/** Whether a scalar can be the operand of a comparison: strings must be shorter than a key, and well-formed. */
export const isComparable = (value: Scalar): boolean =>
  typeof value !== "string" || (hasKey(value) && Buffer.byteLength(value) < TEXT_BYTES);

/** Returns the name of a field in bytes; null for one that is not indexed. */
export function nameOf(field: string): Buffer | null {
  if (!field.isWellFormed()) return null;
  const name = Buffer.from(field);
  return name.length <= NAME_BYTES ? name : null;
}

/** Returns the indexed fields of a value: the scalars at the top level of an object. */
export function fieldsOf(value: Json): Field[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const fields: Field[] = [];
  for (const [field, each] of Object.entries(value)) {
    const name = isScalar(each) && hasKey(each) ? nameOf(field) : null;
    if (name !== null) fields.push({ name, key: keyOf(each as Scalar) });
    if (fields.length === MAX_FIELDS) break;
  }
  return fields;
}

/** A range of keys: `from` is included, `before` is not. */
export interface Range {
  from: Buffer;
  before: Buffer;
}

const next = (key: Buffer) => Buffer.concat([key, Buffer.of(0)]);
const kindOf = (key: Buffer) => Buffer.of(key.readUInt8(0));
const endOf = (key: Buffer) => Buffer.of(key.readUInt8(0) + 1);

/** The range of keys for which each comparison with an operand holds: only keys of its own kind. */
export const COMPARISONS = {
  eq: (key: Buffer): Range => ({ from: key, before: next(key) }),
  lt: (key: Buffer): Range => ({ from: kindOf(key), before: key }),
  lte: (key: Buffer): Range => ({ from: kindOf(key), before: next(key) }),
  gt: (key: Buffer): Range => ({ from: next(key), before: endOf(key) }),
  gte: (key: Buffer): Range => ({ from: key, before: endOf(key) }),
  startsWith: (key: Buffer): Range => {
    const before = Buffer.from(key);
    // UTF-8 contains no 0xff, so the last byte can be incremented.
    before.writeUInt8(before.readUInt8(before.length - 1) + 1, before.length - 1);
    return { from: key, before };
  },
};

/** The name of a comparison. */
export type Comparison = keyof typeof COMPARISONS;

/** Every key. */
export const ALL: Range = { from: Buffer.alloc(0), before: AFTER_ALL };

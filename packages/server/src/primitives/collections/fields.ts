import type { Json } from "@easel/protocol/types";

/**
 * The first byte of a key, by the kind of the value. A key encodes a JSON scalar as bytes that sort in the order of the values: null,
 * false, true, numbers, strings. One index on keys therefore serves equality, comparisons, prefixes and sorting, on SQLite and PostgreSQL
 * (decision 013).
 */
const KINDS = { null: 1, false: 2, true: 3, number: 4, text: 5 } as const;
const AFTER_ALL = Buffer.of(6);

/**
 * The maximum number of bytes of a string in its key; longer strings are cut. Operands of comparisons must be shorter, so that the key of a
 * cut string never equals the key of an operand.
 */
const TEXT_BYTES = 256;
const NAME_BYTES = 256;
/** The maximum number of indexed fields of a record. Further fields are not indexed. */
const MAX_FIELDS = 100;

/** A JSON scalar. Only fields whose value is a scalar are indexed. */
export type Scalar = string | number | boolean | null;

/** An indexed field of a record: its name in UTF-8, and its value encoded as a key. */
export interface Field {
  name: Buffer;
  key: Buffer;
}

/** The name under which the author of a record is indexed. It is not valid UTF-8, so no field of a record has this name. */
export const AUTHOR = Buffer.from("\xffauthor", "latin1");

export const isScalar = (value: unknown): value is Scalar =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

/** Encodes a scalar as a key: bytes that sort in the order of the values. */
export function keyOf(value: Scalar): Buffer {
  if (typeof value === "number") return Buffer.concat([Buffer.of(KINDS.number), numberBytes(value)]);
  if (typeof value === "string")
    return Buffer.concat([Buffer.of(KINDS.text), Buffer.from(value).subarray(0, TEXT_BYTES)]);
  return Buffer.of(KINDS[String(value) as "null" | "true" | "false"]);
}

/** Whether a key encodes its whole value. A text of 256 bytes or more may be cut. */
export const isWhole = (key: Buffer): boolean => key.length <= TEXT_BYTES;

/** Encodes a number as 8 bytes that sort in numeric order: inverts all bits of a negative number, and sets the sign bit of any other. */
function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value === 0 ? 0 : value);
  const negative = bytes.readUInt8(0) >= 0x80;
  for (const [at, byte] of bytes.entries()) bytes[at] = negative ? ~byte : at === 0 ? byte | 0x80 : byte;
  return bytes;
}

/** Whether a scalar can be encoded as a key. A string with a lone surrogate cannot, because it has no UTF-8 encoding. */
const hasKey = (value: Scalar): boolean => typeof value !== "string" || value.isWellFormed();

/** Whether a scalar can be the operand of a comparison. A string must be well-formed and shorter than 256 bytes. */
export const isComparable = (value: Scalar): boolean =>
  typeof value !== "string" || (hasKey(value) && Buffer.byteLength(value) < TEXT_BYTES);

/** Returns the name of a field in UTF-8. Returns null if the field cannot be indexed because its name is too long or not well-formed. */
export function nameOf(field: string): Buffer | null {
  if (!field.isWellFormed()) return null;
  const name = Buffer.from(field);
  return name.length <= NAME_BYTES ? name : null;
}

/**
 * Returns the indexed fields of a record's value: its first 100 fields that can be indexed. Returns an empty list if the value is not an
 * object.
 */
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

/**
 * For each comparison, such as `lt`, a function that returns the range of keys that satisfy it. `key` is the key of the operand. A range
 * contains only keys of the same kind as the operand: a number is never compared with a string.
 */
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

export type Comparison = keyof typeof COMPARISONS;

/** The range of all keys. */
export const ALL: Range = { from: Buffer.alloc(0), before: AFTER_ALL };

import type { Json } from "@easel/protocol/types";

/**
 * Scalars as bytes that sort as the values do: null, false, true, numbers, texts. So one index serves equality, comparison,
 * prefix and order alike, on both engines.
 */
const KINDS = { null: 1, false: 2, true: 3, number: 4, text: 5 } as const;
const AFTER_ALL = Buffer.of(6);

/** Of a text so many bytes count; what is compared with it is shorter, so that it is never taken for another. */
const TEXT_BYTES = 256;
const NAME_BYTES = 256;
/** So many fields of a record can be asked for: the first. */
const MOST_FIELDS = 100;

/** A scalar: what a field must be to be found by it. */
export type Scalar = string | number | boolean | null;

/** A field that records are found by. */
export interface Field {
  name: Buffer;
  key: Buffer;
}

/** The name under which a record's author is found: no text in UTF-8 is like it. */
export const AUTHOR = Buffer.from("\xffauthor", "latin1");

export const isScalar = (value: unknown): value is Scalar =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

/** The bytes of a scalar. */
export function keyOf(value: Scalar): Buffer {
  if (typeof value === "number") return Buffer.concat([Buffer.of(KINDS.number), numberBytes(value)]);
  if (typeof value === "string")
    return Buffer.concat([Buffer.of(KINDS.text), Buffer.from(value).subarray(0, TEXT_BYTES)]);
  return Buffer.of(KINDS[String(value) as "null" | "true" | "false"]);
}

/** A double whose bytes sort as its value: negative ones turned over, the others past them. */
function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value === 0 ? 0 : value);
  const negative = bytes.readUInt8(0) >= 0x80;
  for (const [at, byte] of bytes.entries()) bytes[at] = negative ? ~byte : at === 0 ? byte | 0x80 : byte;
  return bytes;
}

/** Half a surrogate pair has no bytes of its own: a text with one is not found. */
const hasBytes = (value: Scalar): boolean => typeof value !== "string" || value.isWellFormed();

/** Whether a text is short and whole enough to be compared with. */
export const isComparable = (value: Scalar): boolean =>
  typeof value !== "string" || (hasBytes(value) && Buffer.byteLength(value) < TEXT_BYTES);

/** The bytes of a field's name; null for one that is not kept. */
export function nameOf(field: string): Buffer | null {
  if (!field.isWellFormed()) return null;
  const name = Buffer.from(field);
  return name.length <= NAME_BYTES ? name : null;
}

/** What a record with this value is found by, besides its author: the scalar fields of an object at its top. */
export function fieldsOf(value: Json): Field[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const fields: Field[] = [];
  for (const [field, each] of Object.entries(value)) {
    const name = isScalar(each) && hasBytes(each) ? nameOf(field) : null;
    if (name !== null) fields.push({ name, key: keyOf(each as Scalar) });
    if (fields.length === MOST_FIELDS) break;
  }
  return fields;
}

/** A range of keys: from the first on, and before the second. */
export interface Range {
  from: Buffer;
  before: Buffer;
}

const next = (key: Buffer) => Buffer.concat([key, Buffer.of(0)]);
const kindOf = (key: Buffer) => Buffer.of(key.readUInt8(0));
const endOf = (key: Buffer) => Buffer.of(key.readUInt8(0) + 1);

/** The keys for which a comparison with a value holds: those of its own kind. */
export const COMPARISONS = {
  eq: (key: Buffer): Range => ({ from: key, before: next(key) }),
  lt: (key: Buffer): Range => ({ from: kindOf(key), before: key }),
  lte: (key: Buffer): Range => ({ from: kindOf(key), before: next(key) }),
  gt: (key: Buffer): Range => ({ from: next(key), before: endOf(key) }),
  gte: (key: Buffer): Range => ({ from: key, before: endOf(key) }),
  startsWith: (key: Buffer): Range => {
    const before = Buffer.from(key);
    // No byte of UTF-8 is the greatest there is.
    before.writeUInt8(before.readUInt8(before.length - 1) + 1, before.length - 1);
    return { from: key, before };
  },
};

/** The name of a comparison. */
export type Comparison = keyof typeof COMPARISONS;

/** Every key. */
export const ALL: Range = { from: Buffer.alloc(0), before: AFTER_ALL };

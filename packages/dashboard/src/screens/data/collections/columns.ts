import type { Json } from "@easel/protocol/types";

/** The longest text of a cell, in UTF-16 units. */
export const MAX_CELL = 200;

/** The number of values from which the columns of a collection are found. */
export const SAMPLE = 200;

/** The number of fields that are shown until the person chooses others. */
const SHOWN = 6;

/** The columns that every record has, by the names that filters and orders of the API have for them. */
export const AUTHOR = "authorId";
export const UPDATED = "updatedAt";
/** The column of the whole value, for collections whose values are not all objects. */
export const VALUE = "value";

export type Kind = "text" | "number" | "boolean" | "null" | "list" | "object";

/** A column that was found in values: a field of them, or their whole value. */
export interface FoundColumn {
  /** `value.{field}`, or `value`. */
  id: string;
  /** The kinds of its values, the most frequent first. More than one, if its kind changes from record to record. */
  kinds: Kind[];
  /** The share of the values that have it. */
  share: number;
}

/** Returns the field of a column, or null for a column that is no field. */
export const fieldOf = (column: string): string | null =>
  column.startsWith("value.") ? column.slice("value.".length) : null;

/** Returns the name of a column in words. */
export function labelOf(column: string): string {
  if (column === AUTHOR) return "Author";
  if (column === UPDATED) return "Changed";
  return fieldOf(column) ?? "Value";
}

export function kindOf(value: Json): Kind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  const type = typeof value;
  return type === "string" ? "text" : (type as "number" | "boolean" | "object");
}

/** Whether the service can filter by values of a kind, and order by them. */
export const isScalarKind = (kind: Kind): boolean => kind !== "list" && kind !== "object";

const isObject = (value: Json): value is { [name: string]: Json } => kindOf(value) === "object";

/**
 * Finds the columns in the first values of a collection: their fields, the most frequent first, and the whole value, if some values are not
 * objects.
 */
export function columnsIn(values: readonly Json[]): FoundColumn[] {
  const sample = values.slice(0, SAMPLE);
  const counts = new Map<string, Map<Kind, number>>();
  const count = (column: string, value: Json) => {
    const kinds = counts.get(column) ?? new Map<Kind, number>();
    counts.set(column, kinds);
    kinds.set(kindOf(value), (kinds.get(kindOf(value)) ?? 0) + 1);
  };
  for (const value of sample) {
    if (!isObject(value)) count(VALUE, value);
    else for (const [field, each] of Object.entries(value)) count(`value.${field}`, each);
  }
  const sum = (kinds: Map<Kind, number>) => kinds.values().reduce((total, each) => total + each, 0);
  return [...counts]
    .sort(([, one], [, other]) => sum(other) - sum(one))
    .map(([id, kinds]) => ({
      id,
      kinds: [...kinds].sort(([, one], [, other]) => other - one).map(([kind]) => kind),
      share: sum(kinds) / sample.length,
    }));
}

/** Returns the columns that are shown until the person chooses others. */
export const shownAtFirst = (found: readonly FoundColumn[]): string[] => [
  ...found.slice(0, SHOWN).map(({ id }) => id),
  AUTHOR,
  UPDATED,
];

/** Returns what a column shows of a value, or undefined if the value has no such field. */
export function inColumn(value: Json, column: string): Json | undefined {
  const field = fieldOf(column);
  if (field === null) return isObject(value) ? undefined : value;
  return isObject(value) && Object.hasOwn(value, field) ? value[field] : undefined;
}

/**
 * Returns the text of a cell, at most 200 characters. With `isMixed`, for a column whose kind changes from record to record, texts have quotes:
 * "12" is not 12.
 */
export function cellText(value: Json, isMixed = false): string {
  const text = typeof value === "string" && !isMixed ? value : JSON.stringify(value);
  if (text.length <= MAX_CELL) return text;
  // Half of a pair of surrogates would be shown as a replacement character.
  const end = text.charCodeAt(MAX_CELL - 2) >= 0xd800 && text.charCodeAt(MAX_CELL - 2) < 0xdc00 ? 2 : 1;
  return `${text.slice(0, MAX_CELL - end)}…`;
}

/** Returns a name for a record: the first text in its value, as far as it fits into a line. */
export function nameOf(value: Json): string {
  if (!isObject(value)) return cellText(value);
  const fields = Object.values(value);
  const named = fields.find((each) => typeof each === "string" && each.trim() !== "") ?? fields[0];
  return named === undefined ? "Empty record" : cellText(named);
}

/** Returns the columns that an address names, or null if it names none. Anybody can write an address. */
export function columnsOfText(text: string | undefined): string[] | null {
  const given = (text ?? "").split(",").flatMap((each) => {
    try {
      return [decodeURIComponent(each)];
    } catch {
      return [];
    }
  });
  const known = given.filter(
    (each) => [AUTHOR, UPDATED, VALUE].includes(each) || (fieldOf(each) ?? "") !== "",
  );
  return known.length === 0 ? null : [...new Set(known)];
}

export const textOfColumns = (columns: readonly string[]): string =>
  columns.map(encodeURIComponent).join(",");

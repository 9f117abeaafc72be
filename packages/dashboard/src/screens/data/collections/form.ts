import type { Json } from "@easel/protocol/types";

/** The kinds of values that a field of a form has. */
export const FIELD_KINDS = { text: "Text", number: "Number", boolean: "Yes or no", null: "Nothing" } as const;
export type FieldKind = keyof typeof FIELD_KINDS;

/** A field of a form: the `text` of its value as it is typed. `key` stays the same while the name is changed. */
export interface FormField {
  key: number;
  name: string;
  kind: FieldKind;
  text: string;
  /** Whether the field was added, so that its name is still open. */
  isNew?: boolean;
}

/** The most fields for which a value has a form. */
const MAX_FIELDS = 40;
/** The longest text of a field. A longer one is edited as JSON. */
const MAX_TEXT = 10_000;

type JsonObject = { [name: string]: Json };

export const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

let keys = 0;

/** Returns an empty field. */
export const newField = (name = "", kind: FieldKind = "text"): FormField => ({
  key: ++keys,
  name,
  kind,
  text: kind === "boolean" ? "false" : "",
});

/**
 * Returns the fields of a flat object: one whose values are texts, numbers, yes or no, or nothing. Null for any other value. A field that was
 * there `before` has the same key, so that it keeps the focus.
 */
export function formOf(value: Json, before: readonly FormField[] = []): FormField[] | null {
  if (!isObject(value)) return null;
  const entries = Object.entries(value);
  if (entries.length > MAX_FIELDS) return null;
  const fields: FormField[] = [];
  for (const [name, each] of entries) {
    if (typeof each === "object" && each !== null) return null;
    if (typeof each === "string" && each.length > MAX_TEXT) return null;
    const kind = each === null ? "null" : typeof each === "string" ? "text" : (typeof each as FieldKind);
    const key = before.find((field) => field.name === name)?.key;
    const text = each === null ? "" : String(each);
    fields.push({ ...newField(name, kind), text, ...(key === undefined ? {} : { key }) });
  }
  return fields;
}

/** Returns the value of a form, and why it has none: what is wrong with its fields, by their keys. */
export function valueOfForm(fields: readonly FormField[]): { value: Json; faults: Map<number, string> } {
  const faults = new Map<number, string>();
  const entries: [string, Json][] = [];
  for (const { key, name, kind, text } of fields) {
    if (name === "") faults.set(key, "Give the field a name.");
    else if (fields.some((each) => each.key < key && each.name === name))
      faults.set(key, "There is a field of this name already.");
    const number = Number(text);
    if (kind === "number" && (text.trim() === "" || !Number.isFinite(number)))
      faults.set(key, "Write a number, such as 12 or -0.5.");
    const values = { text, number, boolean: text === "true", null: null };
    entries.push([name, values[kind]]);
  }
  return { value: Object.fromEntries(entries), faults };
}

/** Whether two values are equal. The order of fields does not count. */
export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [mine, theirs] = [one as JsonObject, other as JsonObject];
  const names = Object.keys(mine);
  return (
    names.length === Object.keys(theirs).length &&
    names.every((name) => Object.hasOwn(theirs, name) && isSame(mine[name], theirs[name]))
  );
}

/**
 * Returns `theirs` with what `mine` has changed since `base`: of objects field by field, of other values as a whole. So a field that only somebody
 * else has changed keeps their value.
 */
export function merged(base: Json, mine: Json, theirs: Json): Json {
  if (!isObject(base) || !isObject(mine) || !isObject(theirs)) return mine;
  const fields = new Map(Object.entries(theirs));
  for (const name of new Set([...Object.keys(base), ...Object.keys(mine)])) {
    const [before, now] = [base, mine].map((each) => (Object.hasOwn(each, name) ? each[name] : undefined));
    if (isSame(before, now)) continue;
    if (now === undefined) fields.delete(name);
    else fields.set(name, now);
  }
  return Object.fromEntries(fields);
}

/** A field that two versions of a value have differently. Undefined: this version does not have it. */
export interface Difference {
  name: string;
  mine: Json | undefined;
  theirs: Json | undefined;
}

/** Returns the fields that two values have differently, or null if they are not both objects. */
export function differences(mine: Json, theirs: Json): Difference[] | null {
  if (!isObject(mine) || !isObject(theirs)) return null;
  const of = (value: JsonObject, name: string) => (Object.hasOwn(value, name) ? value[name] : undefined);
  return [...new Set([...Object.keys(mine), ...Object.keys(theirs)])]
    .map((name) => ({ name, mine: of(mine, name), theirs: of(theirs, name) }))
    .filter(({ mine, theirs }) => !isSame(mine, theirs));
}

/** Returns the bytes that the service counts for a value. */
export const bytesOfValue = (value: Json): number => new TextEncoder().encode(JSON.stringify(value)).length;

import { isId } from "../../crypto/ids.ts";
import type { Value } from "../../drivers/db/db.ts";
import { AUTHOR, type Range } from "./fields.ts";
import type { Condition } from "./query.ts";

/* Parts of the statements that list and count records. Everything that a caller gives is a bound value, never text of a statement. */

/** A condition that a record must meet, as part of a statement in which `id` is the record. */
export const conditionOn = (id: string) =>
  `and exists (select 1 from record_fields as f where f.record_id = ${id} and f.name = ? and f.key >= ? and f.key < ?) `;

const statements = new Map<string, TemplateStringsArray>();

/** The statement of a shape, made once, so that it is prepared once. */
export function statementOf<Of extends object>(
  shape: Of,
  make: (shape: Of) => TemplateStringsArray,
): TemplateStringsArray {
  const key = Object.values(shape).join();
  const text = statements.get(key) ?? make(shape);
  statements.set(key, text);
  return text;
}

/** The intersection of two ranges. */
export const both = (one: Range, other: Range): Range => ({
  from: one.from.compare(other.from) > 0 ? one.from : other.from,
  before: one.before.compare(other.before) < 0 ? one.before : other.before,
});

/** Divides conditions into the authors that a record must have, `author` among them unless null, and the others. */
export function divided(
  given: Condition[],
  author: string | null,
): { authors: string[]; conditions: Condition[] } {
  // Text that is no id may be invalid for PostgreSQL: it is compared as bytes, among the fields.
  const isAuthor = ({ name, is }: Condition) => name === AUTHOR && typeof is === "string" && isId(is);
  const authors = given.filter(isAuthor).map(({ is }) => String(is));
  if (author !== null) authors.push(author);
  return { authors, conditions: given.filter((each) => !isAuthor(each)) };
}

/** The values of `conditionOn`. */
export const valuesOf = ({ name, from, before }: Condition): Value[] => [name, from, before];

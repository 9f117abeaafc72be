import { isId } from "../../crypto/ids.ts";
import type { Value } from "../../drivers/db/db.ts";
import { AUTHOR, type Range } from "./fields.ts";
import type { Condition } from "./record-query.ts";

/*
 * Parts of the SQL statements that list and count records. What callers send never becomes part of the SQL text; it is always bound as a
 * value.
 */

/**
 * Returns the SQL of one condition on a field of a record. `id` is the SQL expression for the id of the record. `valuesOf` returns the
 * values for the placeholders.
 */
export const conditionOn = (id: string) =>
  `and exists (select 1 from record_fields as f where f.record_id = ${id} and f.name = ? and f.key >= ? and f.key < ?) `;

const statements = new Map<string, TemplateStringsArray>();

/**
 * Returns the SQL text for queries of one shape, such as two conditions and no author. Calls `build` only for a new shape. Equal shapes get
 * the same text object, because drivers prepare each text object once.
 */
export function statementOf<Shape extends object>(
  shape: Shape,
  build: (shape: Shape) => TemplateStringsArray,
): TemplateStringsArray {
  const key = Object.values(shape).join();
  const text = statements.get(key) ?? build(shape);
  statements.set(key, text);
  return text;
}

/** Returns the intersection of two ranges. */
export const intersection = (one: Range, other: Range): Range => ({
  from: one.from.compare(other.from) > 0 ? one.from : other.from,
  before: one.before.compare(other.before) < 0 ? one.before : other.before,
});

/**
 * Splits the conditions of a query. `authors` are the ids that conditions on the author require, together with `author` if it is not null;
 * a record's author must equal all of them. `conditions` are the other conditions.
 */
export function splitAuthors(
  given: Condition[],
  author: string | null,
): { authors: string[]; conditions: Condition[] } {
  // An author that is not an id is compared as bytes, like the values of fields, because PostgreSQL rejects some texts as parameters.
  const isAuthor = ({ name, is }: Condition) => name === AUTHOR && typeof is === "string" && isId(is);
  const authors = given.filter(isAuthor).map(({ is }) => String(is));
  if (author !== null) authors.push(author);
  return { authors, conditions: given.filter((each) => !isAuthor(each)) };
}

/** Returns the values for the placeholders of `conditionOn`. */
export const valuesOf = ({ name, from, before }: Condition): Value[] => [name, from, before];

import { isId } from "../../crypto/ids.ts";
import type { Value } from "../../drivers/db/db.ts";
import { AUTHOR, type Range } from "./fields.ts";
import type { Condition } from "./record-query.ts";

/* Parts of the statements that list and count records. Input of callers is only ever bound as a value. */

/** Returns the SQL of a condition on the record whose id is the expression `id`; its values are those of `valuesOf`. */
export const conditionOn = (id: string) =>
  `and exists (select 1 from record_fields as f where f.record_id = ${id} and f.name = ? and f.key >= ? and f.key < ?) `;

const statements = new Map<string, TemplateStringsArray>();

/** Returns the statement of a shape. The same shape always gets the same text object, which drivers prepare once. */
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

/** Splits conditions into the ids that the author must equal, with `author` unless it is null, and the others. */
export function splitAuthors(
  given: Condition[],
  author: string | null,
): { authors: string[]; conditions: Condition[] } {
  // PostgreSQL rejects some text that is not an id: it is compared as bytes, like the other fields.
  const isAuthor = ({ name, is }: Condition) => name === AUTHOR && typeof is === "string" && isId(is);
  const authors = given.filter(isAuthor).map(({ is }) => String(is));
  if (author !== null) authors.push(author);
  return { authors, conditions: given.filter((each) => !isAuthor(each)) };
}

/** Returns the values of `conditionOn`. */
export const valuesOf = ({ name, from, before }: Condition): Value[] => [name, from, before];

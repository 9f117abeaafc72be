import { type Sql, statementText } from "../../drivers/db/db.ts";
import { both, conditionOn, divided, statementOf, valuesOf } from "./conditions.ts";
import type { Range } from "./fields.ts";
import type { Condition } from "./query.ts";

/** The rows that a count reads: the records of a collection, perhaps of one author, or the fields within a range. */
const COUNTED = {
  records: { from: "records as r", table: "r", id: "r.id", also: "" },
  fields: {
    from: "record_fields as o",
    table: "o",
    id: "o.record_id",
    also: "and o.name = ? and o.key >= ? and o.key < ?",
  },
} as const;

interface Shape {
  counted: keyof typeof COUNTED;
  authors: number;
  conditions: number;
}

function countText({ counted, authors, conditions }: Shape): TemplateStringsArray {
  const { from, table, id, also } = COUNTED[counted];
  return statementText(
    `select count(*) as rows from ${from}`,
    `where ${table}.canvas_id = ? and ${table}.collection = ? ${also}`,
    `and ${table}.author_id = ? `.repeat(authors),
    conditionOn(id).repeat(conditions),
  );
}

/**
 * The statement that counts the records of a collection that meet conditions; of `author` alone unless null. It reads along an index:
 * that of authors, or of one field within its bounds, of a field that equals something if there is one.
 */
export function counting(canvas: string, collection: string, author: string | null, given: Condition[]): Sql {
  const { authors, conditions } = divided(given, author);
  const [first, ...others] = conditions.toSorted((a, b) => Number("is" in b) - Number("is" in a));
  if (authors.length > 0 || first === undefined) {
    const shape: Shape = { counted: "records", authors: authors.length, conditions: conditions.length };
    return [statementOf(shape, countText), canvas, collection, ...authors, ...conditions.flatMap(valuesOf)];
  }
  const same = others.filter(({ name }) => name.equals(first.name));
  const rest = others.filter((each) => !same.includes(each));
  const { from, before } = same.reduce<Range>(both, first);
  const shape: Shape = { counted: "fields", authors: 0, conditions: rest.length };
  return [
    statementOf(shape, countText),
    canvas,
    collection,
    ...valuesOf({ name: first.name, from, before }),
    ...rest.flatMap(valuesOf),
  ];
}

import { type Sql, statementText } from "../../drivers/db/db.ts";
import { conditionOn, intersection, splitAuthors, statementOf, valuesOf } from "./conditions.ts";
import type { Range } from "./fields.ts";
import type { Condition } from "./record-query.ts";

/**
 * The two tables from which records can be counted: the records themselves, or the index entries of one field, limited to a range of keys.
 */
const SOURCES = {
  records: { from: "records as r", table: "r", id: "r.id", also: "" },
  fields: {
    from: "record_fields as o",
    table: "o",
    id: "o.record_id",
    also: "and o.name = ? and o.key >= ? and o.key < ?",
  },
} as const;

interface Shape {
  source: keyof typeof SOURCES;
  authors: number;
  conditions: number;
}

function countText({ source, authors, conditions }: Shape): TemplateStringsArray {
  const { from, table, id, also } = SOURCES[source];
  return statementText(
    `select count(*) as rows from ${from}`,
    `where ${table}.canvas_id = ? and ${table}.collection = ? ${also}`,
    `and ${table}.author_id = ? `.repeat(authors),
    conditionOn(id).repeat(conditions),
  );
}

/**
 * Builds the statement that counts the records of a collection that meet all conditions. If `author` is not null, it counts only the
 * records of this author. If no author is given, the statement uses the index of one field, preferably of a field that must equal a value.
 */
export function countStatement(
  canvas: string,
  collection: string,
  author: string | null,
  given: Condition[],
): Sql {
  const { authors, conditions } = splitAuthors(given, author);
  const [first, ...others] = conditions.toSorted((a, b) => Number("is" in b) - Number("is" in a));
  if (authors.length > 0 || first === undefined) {
    const shape: Shape = { source: "records", authors: authors.length, conditions: conditions.length };
    return [statementOf(shape, countText), canvas, collection, ...authors, ...conditions.flatMap(valuesOf)];
  }
  const same = others.filter(({ name }) => name.equals(first.name));
  const rest = others.filter((each) => !same.includes(each));
  const { from, before } = same.reduce<Range>(intersection, first);
  const shape: Shape = { source: "fields", authors: 0, conditions: rest.length };
  return [
    statementOf(shape, countText),
    canvas,
    collection,
    ...valuesOf({ name: first.name, from, before }),
    ...rest.flatMap(valuesOf),
  ];
}

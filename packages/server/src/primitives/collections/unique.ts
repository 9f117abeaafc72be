import { type Sql, statementText } from "../../drivers/db/db.ts";
import { refuse } from "../../http/refusal.ts";
import { statementOf } from "./conditions.ts";
import { AUTHOR, type Field, isWhole, nameOf } from "./fields.ts";

/*
 * Unique records: `unique` in the policy of a collection names fields, such as `authorId` and `value.card`. No two records may have equal
 * values in all of them. The index of fields, which every record has, answers whether there is such a record.
 */

const isAuthor = (field: string) => field === "authorId";

const indexName = (field: string) => (isAuthor(field) ? AUTHOR : nameOf(field.slice("value.".length)));

const lacks = (field: string): never =>
  refuse("INVALID_BODY", {
    message: `A record of this collection needs \`${field}\`: a text of fewer than 256 bytes, a number, true, false or null.`,
  });

/**
 * Returns those of the indexed fields of a record that `unique` names, the author first. Throws 400 `INVALID_BODY` if one is missing or is
 * a text that is cut in the index, because such records could not be told apart (decision 057).
 */
export function uniqueFields(unique: readonly string[], indexed: Field[]): Field[] {
  // A person usually has fewer records than a value, so the search begins with the author.
  const sorted = unique.toSorted((one, other) => Number(isAuthor(other)) - Number(isAuthor(one)));
  return sorted.map((field) => {
    const name = indexName(field);
    const found = indexed.find((each) => name !== null && each.name.equals(name));
    return found !== undefined && isWhole(found.key) ? found : lacks(field);
  });
}

/** The number of records that agree in a field from which on the search begins with the next field. */
const MANY = 256;

/** How many records agree in a field, at most `MANY`. */
const AGREEING = `(select count(*) from (select 1 from record_fields as n
  where n.canvas_id = ? and n.collection = ? and n.name = ? and n.key = ? limit ${MANY}) as batch)`;

/** One search for each field to begin with: only that of the first field in which fewer than `MANY` records agree, or of the last one, is run. */
const guardText = ({ fields }: { fields: number }) =>
  statementText(
    "update counts set rows = rows where canvas_id = ? and kind = ?",
    ...Array.from({ length: fields }, (_, begin) =>
      [
        "and not (",
        `${AGREEING} = ${MANY} and `.repeat(begin),
        begin < fields - 1 ? `${AGREEING} < ${MANY} and` : "",
        "exists (select 1 from record_fields as o",
        "where o.canvas_id = ? and o.collection = ? and o.name = ? and o.key = ? and o.record_id <> ?",
        `and exists (select 1 from record_fields as f where f.canvas_id = o.canvas_id and f.collection = o.collection
          and f.name = ? and f.key = ? and f.record_id = o.record_id) `.repeat(fields - 1),
        "))",
      ].join("\n"),
    ),
  );

/**
 * Builds the batch step that changes no row if a record other than `id` has all the given fields. An earlier step of the batch must have
 * locked the counter `kind` of the canvas: writers of one canvas then take turns, and each sees the records of those before.
 */
export function uniqueGuard(
  fields: Field[],
  { canvas, collection, kind, id }: { canvas: string; collection: string; kind: string; id: string },
): Sql {
  const searches = fields.flatMap((first, begin) => {
    const others = fields.filter((each) => each !== first);
    const counted = fields.slice(0, Math.min(begin + 1, fields.length - 1));
    return [
      ...counted.flatMap(({ name, key }) => [canvas, collection, name, key]),
      ...[canvas, collection, first.name, first.key, id],
      ...others.flatMap(({ name, key }) => [name, key]),
    ];
  });
  return [statementOf({ guard: "unique", fields: fields.length }, guardText), canvas, kind, ...searches];
}

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
 * Returns those of the indexed fields of a record that `unique` names, the author first. Throws 400 `INVALID_BODY` if one is missing or is a
 * text that is cut in the index, because such records could not be told apart.
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

const guardText = ({ conditions }: { conditions: number }) =>
  statementText(
    "update counts set rows = rows where canvas_id = ? and kind = ?",
    "and not exists (select 1 from record_fields as o",
    "where o.canvas_id = ? and o.collection = ? and o.name = ? and o.key = ? and o.record_id <> ?",
    `and exists (select 1 from record_fields as f where f.canvas_id = o.canvas_id and f.collection = o.collection
      and f.name = ? and f.key = ? and f.record_id = o.record_id) `.repeat(conditions),
    ")",
  );

/**
 * Builds the batch step that changes no row if a record other than `id` has all the given fields. An earlier step of the batch must have
 * locked the counter `kind` of the canvas: writers of one canvas then take turns, and each sees the records of those before.
 */
export function uniqueGuard(
  [first, ...others]: [Field, ...Field[]],
  { canvas, collection, kind, id }: { canvas: string; collection: string; kind: string; id: string },
): Sql {
  return [
    statementOf({ guard: "unique", conditions: others.length }, guardText),
    ...[canvas, kind, canvas, collection, first.name, first.key, id],
    ...others.flatMap(({ name, key }) => [name, key]),
  ];
}

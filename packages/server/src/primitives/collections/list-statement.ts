import { type Sql, statementText, type Value } from "../../drivers/db/db.ts";
import { conditionOn, intersection, splitAuthors, statementOf, valuesOf } from "./conditions.ts";
import { ALL, type Range } from "./fields.ts";
import type { RecordQuery } from "./record-query.ts";

/*
 * Builds one SQL statement for each shape of a list query. The statement reads along the index of the `orderBy` field or, in order of
 * creation, along the index of a field that must equal a value, if there is one. It evaluates other conditions record by record. A list of
 * one author's records reads and sorts all records of this author instead, so that its duration reveals nothing about the records of
 * others.
 */

const COLUMNS = "r.id, r.author_id, r.value, r.number, r.updated_at";

const RECORDS = { from: "records as r", table: "r", id: "r.id" };
const FIELDS = {
  from: "record_fields as o join records as r on r.id = o.record_id",
  table: "o",
  id: "o.record_id",
};

/**
 * For each way to read a list, the parts of its SQL statement: the tables (`from`), a further condition (`also`), and the column by which
 * records are sorted before they are sorted by id (`key`, or null).
 */
const WALKS = {
  createdAt: { ...RECORDS, key: null, also: "" },
  updatedAt: { ...RECORDS, key: "r.updated_at", also: "" },
  equal: { ...FIELDS, key: null, also: "and o.name = ? and o.key = ?" },
  field: { ...FIELDS, key: "o.key", also: "and o.name = ?" },
  // The unary plus prevents the database from sorting with the index on `updated_at`.
  authorUpdatedAt: { ...RECORDS, key: "+r.updated_at", also: "" },
  authorField: {
    from: "records as r cross join record_fields as o",
    table: "r",
    id: "o.record_id",
    key: "o.key",
    also: "and o.record_id = r.id and o.name = ?",
  },
} as const;

/** Texts that sort before and after every id. Ids begin with a hexadecimal digit. */
const ID_BOUNDS = { first: "", last: "z" };

interface Shape {
  walk: keyof typeof WALKS;
  descending: boolean;
  authors: number;
  conditions: number;
}

function listText({ walk, descending, authors, conditions }: Shape): TemplateStringsArray {
  const { from, table, id, key, also } = WALKS[walk];
  const [beyond, direction, within] = descending ? ["<", "desc", ">="] : [">", "asc", "<"];
  const parts = [
    `select ${COLUMNS} from ${from}`,
    `where ${table}.canvas_id = ? and ${table}.collection = ? ${also}`,
    key === null ? `and ${id} ${beyond} ?` : `and (${key}, ${id}) ${beyond} (?, ?)`,
    key === "o.key" ? `and ${key} ${within} ?` : "",
    "and r.author_id = ? ".repeat(authors),
    conditionOn("r.id").repeat(conditions),
    `order by ${key === null ? "" : `${key} ${direction}, `}${id} ${direction}`,
    "limit ?",
  ];
  return statementText(...parts);
}

/**
 * Returns the values for the placeholders that bound a page. The first ones are the sort value and the id of the last record on the
 * previous page, or values that precede the whole list. If the list is sorted by a field, the last one is the key at which the list ends.
 */
function boundsOf({ order, descending, after }: RecordQuery, bounds: Range): Value[] {
  const end = descending ? "last" : "first";
  if (order.by === "createdAt") return [after?.id ?? ID_BOUNDS[end]];
  if (order.by === "updatedAt")
    return after === null
      ? [descending ? Number.MAX_SAFE_INTEGER : -1, ID_BOUNDS[end]]
      : [after.at, after.id];
  const [start, bound] = descending ? [bounds.before, bounds.from] : [bounds.from, bounds.before];
  const at = after?.at;
  // If a forged cursor lies outside the bounds, the page begins at the bound.
  if (!Buffer.isBuffer(at) || at.compare(start) === (descending ? 1 : -1)) return [start, "", bound];
  return [at, after?.id ?? "", bound];
}

/**
 * Builds the statement that reads a page of a collection, and one row more, which shows whether another page follows. It reads only records
 * of `author`, or records of all authors if `author` is null.
 */
export function listStatement(
  canvas: string,
  collection: string,
  author: string | null,
  query: RecordQuery,
): Sql {
  const { order, descending, limit } = query;
  const { authors, conditions: others } = splitAuthors(query.conditions, author);
  let conditions = others;
  let walk: Shape["walk"] = order.by;
  let bounds = ALL;
  let found: Value[] = [];
  const equal = conditions.find(({ is }) => is !== undefined);
  if (order.by === "field") {
    const named = conditions.filter(({ name }) => name.equals(order.name));
    bounds = named.reduce(intersection, ALL);
    conditions = conditions.filter((each) => !named.includes(each));
    found = [order.name];
  } else if (order.by === "createdAt" && authors.length === 0 && equal !== undefined) {
    walk = "equal";
    conditions = conditions.filter((each) => each !== equal);
    found = [equal.name, equal.from];
  }
  if (authors.length > 0 && walk === "field") walk = "authorField";
  if (authors.length > 0 && walk === "updatedAt") walk = "authorUpdatedAt";
  return [
    statementOf({ walk, descending, authors: authors.length, conditions: conditions.length }, listText),
    canvas,
    collection,
    ...found,
    ...boundsOf(query, bounds),
    ...authors,
    ...conditions.flatMap(valuesOf),
    limit + 1,
  ];
}

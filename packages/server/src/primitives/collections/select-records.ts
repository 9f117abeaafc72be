import { isId } from "../../crypto/ids.ts";
import { type Sql, type SqlText, sqlText, type Value } from "../../drivers/db/db.ts";
import { refuse } from "../../http/refusal.ts";
import { ALL, AUTHOR, type Field, isWhole, nameOf, type Range } from "./fields.ts";
import type { Condition, Position, RecordQuery } from "./record-query.ts";

/*
 * The SQL statements that list and count records, and that find equal ones. What callers send never becomes part of the SQL text; it is
 * always bound as a value.
 */

/**
 * Returns the SQL of one condition on a field of a record. `id` is the SQL expression for the id of the record. `valuesOf` returns the
 * values for the placeholders.
 */
const conditionOn = (id: string) =>
  `and exists (select 1 from record_fields as f where f.record_id = ${id} and f.name = ? and f.key >= ? and f.key < ?) `;

/** Returns the intersection of two ranges. */
const intersection = (one: Range, other: Range): Range => ({
  from: one.from.compare(other.from) > 0 ? one.from : other.from,
  before: one.before.compare(other.before) < 0 ? one.before : other.before,
});

/**
 * Splits the conditions of a query. `authors` are the ids that conditions on the author require, together with `author` if it is not null;
 * a record's author must equal all of them. `conditions` are the other conditions.
 */
function splitAuthors(
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
const valuesOf = ({ name, from, before }: Condition): Value[] => [name, from, before];

/*
 * Builds one SQL statement for each shape of a list query. The statement reads along the index of the `orderBy` field or, in order of
 * creation, along the index of a field that must equal a value, if there is one. It evaluates other conditions record by record. A list of
 * one author's records reads and sorts all records of this author instead, so that its duration reveals nothing about the records of
 * others.
 */

const COLUMNS = "r.id, r.author_id, r.value, r.number, r.updated_at";

const RECORDS = { from: "records as r", index: "records as r", table: "r", id: "r.id" };
const FIELDS = {
  from: "record_fields as o join records as r on r.id = o.record_id",
  index: "record_fields as o",
  table: "o",
  id: "o.record_id",
};

/**
 * For each way to read a list, the parts of its SQL statement: the tables (`from`), the one along whose index it reads (`index`), a further condition
 * (`also`), and the column by which records are sorted before they are sorted by id (`key`, or null).
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
    index: "records as r cross join record_fields as o",
    table: "r",
    id: "o.record_id",
    key: "o.key",
    also: "and o.record_id = r.id and o.name = ?",
  },
} as const;

/** Texts that sort before and after every id. Ids begin with a hexadecimal digit. */
const ID_BOUNDS = { first: "", last: "z" };

interface ListShape {
  walk: keyof typeof WALKS;
  descending: boolean;
  authors: number;
  conditions: number;
  /** Whether the list ends at a position. */
  ends: boolean;
  /** Whether only the positions of the records are read. */
  positions: boolean;
}

/** Returns the conditions and the order by which a list reads along its index. */
function walkText({ walk, descending }: Pick<ListShape, "walk" | "descending">) {
  const { table, id, key, also } = WALKS[walk];
  const [beyond, direction, within] = descending ? ["<", "desc", ">="] : [">", "asc", "<"];
  return {
    where: [
      `where ${table}.canvas_id = ? and ${table}.collection = ? ${also}`,
      key === null ? `and ${id} ${beyond} ?` : `and (${key}, ${id}) ${beyond} (?, ?)`,
      key === "o.key" ? `and ${key} ${within} ?` : "",
    ],
    order: `order by ${key === null ? "" : `${key} ${direction}, `}${id} ${direction}`,
  };
}

function listText(shape: ListShape): SqlText {
  const { walk, descending, authors, conditions, ends, positions } = shape;
  const { from, id, key } = WALKS[walk];
  const { where, order } = walkText(shape);
  const upTo = descending ? ">=" : "<=";
  const end = key === null ? `and ${id} ${upTo} ?` : `and (${key}, ${id}) ${upTo} (?, ?)`;
  return sqlText(
    `select ${positions ? positionOf(walk) : COLUMNS} from ${from}`,
    ...where,
    ends ? end : "",
    "and r.author_id = ? ".repeat(authors),
    conditionOn("r.id").repeat(conditions),
    order,
    "limit ?",
  );
}

/** Returns the columns of the position of a record in a list. */
const positionOf = (walk: ListShape["walk"]): string =>
  `${WALKS[walk].key ?? "null"} as at, ${WALKS[walk].id} as id`;

/** Builds the text of the statement that returns the position a number of records further along the index. */
function furtherText(shape: Pick<ListShape, "walk" | "descending" | "authors">): SqlText {
  const { index } = WALKS[shape.walk];
  const { where, order } = walkText(shape);
  const ofAuthors = "and r.author_id = ? ".repeat(shape.authors);
  return sqlText(
    `select ${positionOf(shape.walk)} from ${index}`,
    ...where,
    ofAuthors,
    order,
    "limit 1 offset ?",
  );
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

/** How a list is read: its walk with the values of its conditions, and the other conditions on records. */
interface Plan {
  walk: keyof typeof WALKS;
  /** The values for the placeholders of `walkText`. */
  walked: Value[];
  authors: string[];
  conditions: Condition[];
}

function planOf(canvas: string, collection: string, author: string | null, query: RecordQuery): Plan {
  const { order } = query;
  const { authors, conditions: others } = splitAuthors(query.conditions, author);
  let conditions = others;
  let walk: Plan["walk"] = order.by;
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
  return { walk, walked: [canvas, collection, ...found, ...boundsOf(query, bounds)], authors, conditions };
}

/** The most records whose conditions one statement evaluates one by one. */
const EVALUATED = 1_000;

/**
 * Builds the statement that returns the position at which a list has looked at as many records as one statement may; it returns no row if the list
 * has fewer. Null for a list that sorts all records of its author, and for one that evaluates no conditions record by record.
 */
export function furtherStatement(
  canvas: string,
  collection: string,
  author: string | null,
  query: RecordQuery,
): Sql | null {
  const { walk, walked, authors, conditions } = planOf(canvas, collection, author, query);
  if (isSorted(walk) || conditions.length === 0) return null;
  const { descending } = query;
  return [furtherText({ walk, descending, authors: authors.length }), ...walked, ...authors, EVALUATED - 1];
}

/** Whether a walk reads and sorts all records of an author. */
const isSorted = (walk: Plan["walk"]): boolean => walk === "authorUpdatedAt" || walk === "authorField";

/** Whether a list reads and sorts all records of its author, whatever its limit is. */
export const sortsAll = (author: string | null, query: RecordQuery): boolean =>
  isSorted(planOf("", "", author, query).walk);

/**
 * Builds the statement that reads a page of a collection, and one row more, which shows whether another page follows. It reads only records
 * of `author`, or records of all authors if `author` is null. It reads no further than the position `end`. With `positions`, it returns the positions
 * of the records.
 */
export function listStatement(
  canvas: string,
  collection: string,
  author: string | null,
  query: RecordQuery,
  { end, positions = false }: { end?: Position | undefined; positions?: boolean } = {},
): Sql {
  const { descending, limit } = query;
  const { walk, walked, authors, conditions } = planOf(canvas, collection, author, query);
  const ending = end === undefined ? [] : end.at === null ? [end.id] : [end.at, end.id];
  return [
    listText({
      ...{ walk, descending, authors: authors.length, conditions: conditions.length },
      ends: end !== undefined,
      positions,
    }),
    ...walked,
    ...ending,
    ...authors,
    ...conditions.flatMap(valuesOf),
    limit + 1,
  ];
}

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

interface CountShape {
  source: keyof typeof SOURCES;
  authors: number;
  conditions: number;
}

function countText({ source, authors, conditions }: CountShape): SqlText {
  const { from, table, id, also } = SOURCES[source];
  return sqlText(
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
    const shape: CountShape = { source: "records", authors: authors.length, conditions: conditions.length };
    return [countText(shape), canvas, collection, ...authors, ...conditions.flatMap(valuesOf)];
  }
  const same = others.filter(({ name }) => name.equals(first.name));
  const rest = others.filter((each) => !same.includes(each));
  const { from, before } = same.reduce<Range>(intersection, first);
  const shape: CountShape = { source: "fields", authors: 0, conditions: rest.length };
  return [
    countText(shape),
    canvas,
    collection,
    ...valuesOf({ name: first.name, from, before }),
    ...rest.flatMap(valuesOf),
  ];
}

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
const guardText = (fields: number) =>
  sqlText(
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
  return [guardText(fields.length), canvas, kind, ...searches];
}

import { type Sql, statementText, type Value } from "../../drivers/db/db.ts";
import { both, conditionOn, divided, statementOf, valuesOf } from "./conditions.ts";
import { ALL, type Range } from "./fields.ts";
import type { RecordQuery } from "./query.ts";

/*
 * A list can be asked for in many ways; each way is one statement, made once, so that it is prepared once. Everything that a
 * caller gives is a value of it. What can be found along an index is found there: the field that the list is in the order of
 * between its bounds, and records in the order of their making by a field that equals something. Further conditions are
 * looked at record by record.
 */

const COLUMNS = "r.id, r.author_id, r.value, r.number, r.updated_at";

const RECORDS = { from: "records as r", table: "r", id: "r.id" };
const FIELDS = {
  from: "record_fields as o join records as r on r.id = o.record_id",
  table: "o",
  id: "o.record_id",
};

/** What a list goes along: where it is found, and by what it is in order besides the id. */
const WALKS = {
  createdAt: { ...RECORDS, key: null, also: "" },
  updatedAt: { ...RECORDS, key: "r.updated_at", also: "" },
  equal: { ...FIELDS, key: null, also: "and o.name = ? and o.key = ?" },
  field: { ...FIELDS, key: "o.key", also: "and o.name = ?" },
} as const;

/** Before and after every id: they begin with a hexadecimal digit. */
const NO_ID = { first: "", last: "z" };

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
    walk === "field" ? `and ${key} ${within} ?` : "",
    "and r.author_id = ? ".repeat(authors),
    conditionOn("r.id").repeat(conditions),
    `order by ${key === null ? "" : `${key} ${direction}, `}${id} ${direction}`,
    "limit ?",
  ];
  return statementText(...parts);
}

/** Where a list begins along its walk, and the bound that it stays within; the values of the statement. */
function along({ order, descending, after }: RecordQuery, bounds: Range): Value[] {
  const end = descending ? "last" : "first";
  if (order.by === "createdAt") return [after?.id ?? NO_ID[end]];
  if (order.by === "updatedAt")
    return after === null ? [descending ? Number.MAX_SAFE_INTEGER : -1, NO_ID[end]] : [after.at, after.id];
  const [start, bound] = descending ? [bounds.before, bounds.from] : [bounds.from, bounds.before];
  const at = after?.at;
  // A cursor from beyond the bounds, which no page of this list has given, begins at the bound.
  if (!Buffer.isBuffer(at) || at.compare(start) === (descending ? 1 : -1)) return [start, "", bound];
  return [at, after?.id ?? "", bound];
}

/** The statement for a page of a collection, with one row more than the page holds; of `author` alone unless null. */
export function listing(canvas: string, collection: string, author: string | null, query: RecordQuery): Sql {
  const { order, descending, limit } = query;
  const { authors, conditions: others } = divided(query.conditions, author);
  let conditions = others;
  let walk: Shape["walk"] = order.by;
  let bounds = ALL;
  let found: Value[] = [];
  const equal = conditions.find(({ is }) => is !== undefined);
  if (order.by === "field") {
    const named = conditions.filter(({ name }) => name.equals(order.name));
    bounds = named.reduce(both, ALL);
    conditions = conditions.filter((each) => !named.includes(each));
    found = [order.name];
  } else if (order.by === "createdAt" && authors.length === 0 && equal !== undefined) {
    walk = "equal";
    conditions = conditions.filter((each) => each !== equal);
    found = [equal.name, equal.from];
  }
  return [
    statementOf({ walk, descending, authors: authors.length, conditions: conditions.length }, listText),
    canvas,
    collection,
    ...found,
    ...along(query, bounds),
    ...authors,
    ...conditions.flatMap(valuesOf),
    limit + 1,
  ];
}

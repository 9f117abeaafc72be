import type { Sql, Value } from "../../drivers/db/db.ts";
import { ALL } from "./fields.ts";
import type { RecordQuery } from "./query.ts";

/*
 * A list can be asked for in many ways; each way is one statement, made once, so that it is prepared once. Everything that a
 * caller gives is a value of it.
 */

const COLUMNS = "r.id, r.author_id, r.value, r.number, r.created_at, r.updated_at";
const CONDITION =
  "and exists (select 1 from record_fields as f where f.record_id = r.id and f.name = ? and f.key >= ? and f.key < ?)";

/** What a record is listed by, the tables that are read, and how the place before the first is told. */
const ORDERS = {
  createdAt: { from: "records as r", key: null, first: null, last: null },
  updatedAt: { from: "records as r", key: "r.updated_at", first: -1, last: Number.MAX_SAFE_INTEGER },
  field: {
    from: "record_fields as o join records as r on r.id = o.record_id",
    key: "o.key",
    first: ALL.from,
    last: ALL.before,
  },
} as const;

/** Before and after every id: they begin with a hexadecimal digit. */
const ENDS = { first: "", last: "z" };

interface Shape {
  by: keyof typeof ORDERS;
  descending: boolean;
  conditions: number;
  ownOnly: boolean;
}

function textOf({ by, descending, conditions, ownOnly }: Shape): TemplateStringsArray {
  const { from, key } = ORDERS[by];
  const id = key === "o.key" ? "o.record_id" : "r.id";
  const table = key === "o.key" ? "o" : "r";
  const [beyond, direction] = descending ? ["<", "desc"] : [">", "asc"];
  const parts = [
    `select ${COLUMNS}${key === null ? "" : `, ${key} as at`} from ${from}`,
    `where ${table}.canvas_id = ? and ${table}.collection = ?`,
    by === "field" ? "and o.name = ?" : "",
    ownOnly ? "and r.author_id = ?" : "",
    ...Array.from({ length: conditions }, () => CONDITION),
    key === null ? `and r.id ${beyond} ?` : `and (${key}, ${id}) ${beyond} (?, ?)`,
    key === null ? `order by r.id ${direction}` : `order by ${key} ${direction}, ${id} ${direction}`,
    "limit ?",
  ];
  const strings = parts.join("\n").split("?");
  return Object.assign(strings, { raw: strings });
}

const keyOf = ({ by, descending, conditions, ownOnly }: Shape) =>
  [by, descending, conditions, ownOnly].join();

const STATEMENTS = new Map(
  (["createdAt", "updatedAt", "field"] as const).flatMap((by) =>
    [false, true].flatMap((descending) =>
      [0, 1, 2, 3].flatMap((conditions) =>
        [false, true].map((ownOnly) => {
          const shape = { by, descending, conditions, ownOnly };
          return [keyOf(shape), textOf(shape)] as const;
        }),
      ),
    ),
  ),
);

/** The statement for a page of a collection, with one row more than the page holds; of `author` alone unless null. */
export function listing(
  canvas: string,
  collection: string,
  author: string | null,
  { conditions, order, descending, after, limit }: RecordQuery,
): Sql {
  const shape = { by: order.by, descending, conditions: conditions.length, ownOnly: author !== null };
  const text = STATEMENTS.get(keyOf(shape)) as TemplateStringsArray;
  const end = descending ? "last" : "first";
  const start: Value[] = after === null ? [ORDERS[order.by][end], ENDS[end]] : [after.at, after.id];
  return [
    text,
    canvas,
    collection,
    ...(order.by === "field" ? [order.name] : []),
    ...(author === null ? [] : [author]),
    ...conditions.flatMap(({ name, from, before }) => [name, from, before]),
    ...(order.by === "createdAt" ? start.slice(1) : start),
    limit + 1,
  ];
}

import { type Schema, sqlText, type Tables } from "../drivers/db/db.ts";

/** A database that is open in a transaction. */
export interface OpenTables {
  engine: Schema["engine"];
  tables: Tables;
}

/** A table whose rows are copied. */
export interface CopiedTable {
  name: string;
  /** The columns that are stored. Those that the database computes are left out. */
  columns: string[];
  /** The columns of the primary key, in their order. */
  key: string[];
}

/** Tables that triggers fill. `access_epochs` is on PostgreSQL only. */
export const WRITTEN_BY_TRIGGERS = ["person_words"];

/** Tables that are not copied: the migrations of the other engine, what belongs to processes that have ended, and what triggers write. */
const LEFT_OUT = [
  ...["migrations", "readable_migrations", "leases", "nodes", "jobs", "access_epochs"],
  ...WRITTEN_BY_TRIGGERS,
];

/** A stored column. `place` is its place in the primary key, from 1; 0 if it is none of it. */
interface Column {
  table: string;
  name: string;
  place: number;
}

/** The statement that lists the stored columns of all tables, on each engine. */
const COLUMNS: Record<Schema["engine"], string> = {
  sqlite: `select tables.name as "table", columns.name as name, columns.pk as place
    from sqlite_master as tables, pragma_table_info(tables.name) as columns
    where tables.type = 'table' and tables.name not like 'sqlite!_%' escape '!' order by tables.name, columns.cid`,
  postgres: `select tables.relname as "table", columns.attname as name,
      coalesce(array_position(keys.conkey, columns.attnum), 0) as place
    from pg_class as tables
    join pg_attribute as columns on columns.attrelid = tables.oid and columns.attnum > 0 and not columns.attisdropped and columns.attgenerated = ''
    left join pg_constraint as keys on keys.conrelid = tables.oid and keys.contype = 'p'
    where tables.relkind = 'r' and tables.relnamespace = cast(current_schema() as regnamespace) order by tables.relname, columns.attnum`,
};

/** The statement that lists which tables refer to which others, on each engine. */
const REFERENCES: Record<Schema["engine"], string> = {
  sqlite: `select tables.name as "from", keys."table" as "to"
    from sqlite_master as tables, pragma_foreign_key_list(tables.name) as keys where tables.type = 'table'`,
  postgres: `select tables.relname as "from", others.relname as "to" from pg_constraint as keys
    join pg_class as tables on tables.oid = keys.conrelid join pg_class as others on others.oid = keys.confrelid
    where keys.contype = 'f' and keys.connamespace = cast(current_schema() as regnamespace)`,
};

/** Returns the names of all tables of a database. */
export async function tableNames(db: Pick<Tables, "all"> & Pick<Schema, "engine">): Promise<Set<string>> {
  const columns = await db.all<Column>(sqlText(COLUMNS[db.engine]));
  return new Set(columns.map(({ table }) => table));
}

/** Returns the tables that are copied from a database, each after those that its rows refer to. */
export async function copiedTables({ engine, tables }: OpenTables): Promise<CopiedTable[]> {
  const columns = await tables.all<Column>(sqlText(COLUMNS[engine]));
  const references = await tables.all<{ from: string; to: string }>(sqlText(REFERENCES[engine]));
  const found = Map.groupBy(
    columns.filter(({ table }) => !LEFT_OUT.includes(table)),
    ({ table }) => table,
  );
  const copied = [...found].map(([name, own]) => ({
    name,
    columns: own.map((column) => column.name).sort(),
    key: own
      .filter(({ place }) => place > 0)
      .sort((one, other) => one.place - other.place)
      .map((column) => column.name),
  }));
  const keyless = copied.find(({ key }) => key.length === 0);
  if (keyless !== undefined) throw new Error(`The table ${keyless.name} has no primary key.`);
  return inOrder(copied, references);
}

/** Sorts tables such that each comes after those that its rows refer to. */
function inOrder(tables: CopiedTable[], references: { from: string; to: string }[]): CopiedTable[] {
  const sorted: CopiedTable[] = [];
  const waiting = new Map(tables.map((table) => [table.name, table]));
  const waits = (name: string) =>
    references.some(({ from, to }) => from === name && to !== name && waiting.has(to));
  while (waiting.size > 0) {
    const next = [...waiting.values()].filter(({ name }) => !waits(name));
    if (next.length === 0) throw new Error("Tables refer to each other in a circle.");
    for (const table of next) {
      sorted.push(table);
      waiting.delete(table.name);
    }
  }
  return sorted;
}

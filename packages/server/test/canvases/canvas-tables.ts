import { tablesOf } from "../../src/canvases/canvas-data.ts";
import { sqlText } from "../../src/drivers/db/db.ts";
import type { Env } from "../../src/env.ts";

/**
 * A column by which the rows of a table belong to a canvas: it contains the id of the canvas, or references a row of another table that
 * belongs to the canvas.
 */
export interface Reference {
  table: string;
  column: string;
  /** The table and column that are referenced. Null if the column is `canvas_id`, with or without a foreign key. */
  to: { table: string; column: string } | null;
}

interface ForeignKey {
  table: string;
  column: string;
  toTable: string;
  toColumn: string;
}

const isSqlite = ({ config }: Env) => config.databaseUrl.startsWith("sqlite:");

/** Returns the names of all tables with a column `canvas_id`. */
async function tablesWithCanvasId(env: Env): Promise<string[]> {
  const rows = isSqlite(env)
    ? await env.db.all<{ name: string }>`
        select tables.name from sqlite_master as tables join pragma_table_info(tables.name) as columns
        where tables.type = 'table' and columns.name = 'canvas_id'`
    : await env.db.all<{ name: string }>`
        select table_name as name from information_schema.columns join information_schema.tables
          using (table_schema, table_name)
        where table_schema = 'public' and table_type = 'BASE TABLE' and column_name = 'canvas_id'`;
  return rows.map(({ name }) => name);
}

/** Returns the names of all tables, sorted. */
export async function allTables(env: Env): Promise<string[]> {
  const rows = isSqlite(env)
    ? await env.db.all<{ name: string }>`select name from sqlite_master where type = 'table'`
    : await env.db.all<{ name: string }>`
        select table_name as name from information_schema.tables
        where table_schema = 'public' and table_type = 'BASE TABLE'`;
  return rows.map(({ name }) => name).sort();
}

const foreignKeys = (env: Env): Promise<ForeignKey[]> =>
  isSqlite(env)
    ? env.db.all<ForeignKey>`
        select tables.name as "table", "from" as "column", keys."table" as "toTable", "to" as "toColumn"
        from sqlite_master as tables join pragma_foreign_key_list(tables.name) as keys where tables.type = 'table'`
    : env.db.all<ForeignKey>`
        select conrelid::regclass::text as "table", own.attname as "column", confrelid::regclass::text as "toTable",
          other.attname as "toColumn"
        from pg_constraint
        join pg_attribute as own on own.attrelid = conrelid and own.attnum = conkey[1]
        join pg_attribute as other on other.attrelid = confrelid and other.attnum = confkey[1]
        where contype = 'f'`;

/** Returns the columns of a table's primary key, in their order. */
export async function primaryKey(table: string, env: Env): Promise<string[]> {
  const rows = isSqlite(env)
    ? await env.db.all<{
        name: string;
      }>`select name from pragma_table_info(${table}) where pk > 0 order by pk`
    : await env.db.all<{ name: string }>`
        select attname as name from pg_index join pg_attribute on attrelid = indrelid and attnum = any (indkey)
        where indrelid = to_regclass(${table}) and indisprimary order by array_position(indkey::int2[], attnum)`;
  return rows.map(({ name }) => name);
}

/** Returns a reference for each table whose rows belong to canvases, directly or through other tables, except `canvases` itself. */
export async function referencesToCanvases(env: Env): Promise<Reference[]> {
  const found: Reference[] = (await tablesWithCanvasId(env)).map((table) => ({
    table,
    column: "canvas_id",
    to: null,
  }));
  const keys = await foreignKeys(env);
  const isFound = (name: string) => name === "canvases" || found.some(({ table }) => table === name);
  for (let before = -1; before < found.length; ) {
    before = found.length;
    for (const { table, column, toTable, toColumn } of keys) {
      if (isFound(toTable) && !isFound(table))
        found.push({ table, column, to: { table: toTable, column: toColumn } });
    }
  }
  return found;
}

/** Tables that reference canvases but keep their rows when a canvas is purged. */
const KEPT = ["audit"];

/** Returns the names of the tables that reference canvases but that no `CanvasData` declares, sorted. */
export async function undeclaredTables(env: Env): Promise<string[]> {
  const declared = new Set(tablesOf(env.canvasData).map(([name]) => name));
  const referencing = (await referencesToCanvases(env)).map(({ table }) => table);
  return referencing.filter((table) => !declared.has(table) && !KEPT.includes(table)).sort();
}

/** A table, and a function that counts its rows of one canvas, also after the canvas was purged. */
export interface RowsOf {
  table: string;
  count(): Promise<number>;
}

/** Returns every table that references canvases, except those that are not purged. Call it before the purge. */
export async function rowsOf(canvasId: string, env: Env): Promise<RowsOf[]> {
  const references = (await referencesToCanvases(env)).filter(({ table }) => !KEPT.includes(table));
  const values = new Map<string, string[]>();
  const valuesOf = async (table: string, column: string, where: string, ids: string[]) => {
    if (ids.length === 0) return [];
    const marks = ids.map(() => "?").join();
    const text = sqlText(`select distinct ${column} as value from ${table} where ${where} in (${marks})`);
    return (await env.db.all<{ value: string }>(text, ...ids)).map(({ value }) => value);
  };
  for (const { table, to } of references) {
    const parent = references.find((each) => each.table === to?.table);
    values.set(
      table,
      to === null || parent === undefined
        ? [canvasId]
        : await valuesOf(to.table, to.column, parent.column, values.get(to.table) ?? []),
    );
  }
  return references.map(({ table, column }) => ({
    table,
    async count() {
      const ids = values.get(table) ?? [];
      if (ids.length === 0) return 0;
      const marks = ids.map(() => "?").join();
      const text = sqlText(`select count(*) as rows from ${table} where ${column} in (${marks})`);
      return Number((await env.db.get<{ rows: number }>(text, ...ids))?.rows);
    },
  }));
}

/** The names of columns that have the id or the address of a person without a foreign key. */
const OF_PEOPLE =
  /^(user_id|owner_id|author_id|actor_id|subject|uploaded_by|created_by|invited_by|caused_by|recipient)$|email$/;

/** Returns the columns of all tables that have the id or the address of a person: by their name, or by a foreign key. */
export async function personalColumns(env: Env): Promise<{ table: string; column: string }[]> {
  const columns = isSqlite(env)
    ? await env.db.all<{ table: string; column: string }>`
        select tables.name as "table", columns.name as "column"
        from sqlite_master as tables join pragma_table_info(tables.name) as columns where tables.type = 'table'`
    : await env.db.all<{ table: string; column: string }>`
        select table_name as "table", column_name as "column" from information_schema.columns
        join information_schema.tables using (table_schema, table_name)
        where table_schema = 'public' and table_type = 'BASE TABLE'`;
  const references = (await foreignKeys(env)).filter(({ toTable }) => toTable === "users");
  return columns.filter(
    ({ table, column }) =>
      // The subject of an account at a provider is no person of the service, and that of a mail is a text.
      !(["identities", "outbox"].includes(table) && column === "subject") &&
      (OF_PEOPLE.test(column) || references.some((each) => each.table === table && each.column === column)),
  );
}

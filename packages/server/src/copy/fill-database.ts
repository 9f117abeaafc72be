import { SetupError } from "../config/setting-types.ts";
import { sqlText, type Tables } from "../drivers/db/db.ts";
import { readInstance, writeInstance } from "../instance/instance-state.ts";
import { type CopiedTable, copiedTables, type OpenTables, WRITTEN_BY_TRIGGERS } from "./copied-tables.ts";
import { contentOf, copyRows } from "./copy-rows.ts";

/** After how many rows of a table the progress is told. */
const TELL_ROWS = 100_000;

/** The table whose row says of which instance a database is. It is written, not copied. */
const INSTANCE = "instance";

/**
 * Fills a database with the rows of another one, and compares what both have. `id` is that of the instance. The row of the instance says afterwards that
 * the copy is unfinished. Returns the number of rows. @throws SetupError if the database has rows that are not an unfinished copy of the instance.
 */
export async function fillDatabase(
  id: string,
  from: OpenTables,
  to: OpenTables,
  print: (line: string) => void,
): Promise<number> {
  const tables = await copiedTables(from);
  requireSame(tables, await copiedTables(to));
  await empty(tables, id, to.tables);
  let rows = 0;
  for (const table of tables.filter(({ name }) => name !== INSTANCE)) {
    let told = 0;
    const read = await copyRows(table, from.tables, to.tables, (soFar) => {
      if (soFar - told < TELL_ROWS) return;
      told = soFar;
      print(`  ${table.name}: ${soFar} rows so far`);
    });
    const written = await contentOf(table, to.tables);
    if (written.rows !== read.rows || written.hash !== read.hash)
      throw new SetupError(
        `The rows of the table ${table.name} differ in the copy (${read.rows} read, ${written.rows} written): nothing has changed. Please report this.`,
      );
    rows += read.rows;
  }
  await writeInstance({ is: "unfinished", id }, 0, to.tables);
  return rows;
}

/** Throws if two databases with the migrations of one release do not have the same tables, which is a mistake in a migration. */
function requireSame(one: CopiedTable[], other: CopiedTable[]): void {
  const texts = (tables: CopiedTable[]) =>
    tables.map(({ name, columns }) => `${name} (${columns.join(", ")})`).sort();
  const [here, there] = [texts(one), texts(other)];
  const differing = here.find((text) => !there.includes(text)) ?? there.find((text) => !here.includes(text));
  if (differing !== undefined) throw new Error(`The databases do not both have the table ${differing}.`);
}

/** Removes the rows of an unfinished copy. @throws SetupError if there are others. */
async function empty(tables: CopiedTable[], id: string, to: Tables): Promise<void> {
  const state = await readInstance(to);
  if (state?.is === "unfinished" && state.id === id) {
    for (const name of [...WRITTEN_BY_TRIGGERS, ...tables.map((table) => table.name).reverse()])
      await to.run(sqlText(`delete from ${name}`));
    return;
  }
  for (const { name } of tables) {
    // A service that was refused on the database has left an id.
    const where = name === INSTANCE ? "where joined_at is not null" : "";
    const rows = await to.all(sqlText(`select 1 as found from ${name} ${where} limit 1`));
    if (rows.length > 0)
      throw new SetupError(
        `The database to copy to is not empty (table ${name}): create a new one, and start no service on it before it is filled.`,
      );
  }
}

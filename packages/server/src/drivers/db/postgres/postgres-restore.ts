import { preparations, type RestoredTimes } from "../../database-backups.ts";
import { versionOf, withClient } from "./one-client.ts";
import { type ProgramDatabase, RunningProgram, requireProgram } from "./postgres-programs.ts";

/** Returns the number of tables of a database. */
export const tablesOf = (url: string): Promise<number> =>
  withClient(url, async (client) => {
    const [row] = await client.unsafe(
      "select count(*) as tables from information_schema.tables where table_schema = current_schema()",
    );
    return Number(row?.tables);
  });

/** What a dump is to replace, and what is to be true afterwards. */
interface Restoring {
  /** The name that the schema with the present tables gets; null if there are none. */
  aside: string | null;
  /** The number of rows that each table must have. */
  tables: Record<string, number>;
  times: RestoredTimes;
  /** What the database is known by from the moment at which it is restored. Characters of a UUID. */
  token: string;
}

/** Whether a database is what `restoreDump` has made with a token. */
export const hasToken = (url: string, token: string): Promise<boolean> =>
  withClient(url, async (client) => {
    const [row] = await client.unsafe(
      "select obj_description(to_regclass('migrations'), 'pg_class') as token",
    );
    return row?.token === token;
  });

/**
 * Restores a dump in one transaction: renames the schema with the present tables, makes a new one, runs the dump, and compares the numbers of
 * rows. @throws SetupError if any of it fails. Then the database is as it was, also if this process is killed, but for the moment of the commit.
 */
export async function restoreDump(
  file: string,
  database: ProgramDatabase,
  { aside, tables, times, token }: Restoring,
): Promise<void> {
  const { version, schema } = await withClient(database.url, versionOf);
  for (const program of ["pg_restore", "psql"] as const) await requireProgram(program, version, database);
  const psql = new RunningProgram(
    "psql",
    ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null", "--file=-"],
    database,
  );
  // Not `--single-transaction`: psql would commit at the end of its input, also if this process were killed before.
  psql.input.write(statements(["begin", ...asideStatements(schema, aside)]));
  const args = ["--no-owner", "--no-privileges", `--schema=${schema}`, "--file=-", file];
  const dump = new RunningProgram("pg_restore", args, database);
  dump.input.end();
  try {
    // If psql fails, nobody reads on.
    await Promise.race([dump.passTo(psql.input), psql.hasFailed()]);
  } catch (error) {
    await Promise.all([psql.kill(), dump.kill()]);
    throw error;
  }
  psql.input.write(
    statements([
      `set search_path to "${schema}"`,
      ...Object.entries(tables).map(countStatement),
      ...preparations((table) => Object.hasOwn(tables, table), times),
      `comment on table migrations is '${token}'`,
    ]),
  );
  // What was sent may take minutes. The commit is sent only then, so that psql does none if this process is killed meanwhile.
  psql.input.write("\\echo restored\n");
  await psql.hasPrinted();
  psql.input.end(statements(["commit"]));
  await psql.output();
}

const statements = (all: readonly string[]) => all.map((each) => `${each};\n`).join("");

const asideStatements = (schema: string, aside: string | null) =>
  aside === null ? [] : [`alter schema "${schema}" rename to "${aside}"`, `create schema "${schema}"`];

const countStatement = ([table, rows]: [string, number]) =>
  `do $$ begin if (select count(*) from "${table}") <> ${rows} then
     raise exception 'the table ${table} has another number of rows than in the backup'; end if; end $$`;

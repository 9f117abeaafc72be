import { open } from "node:fs/promises";
import type { TransactionSql } from "postgres";
import { SetupError } from "../../../config/setting-types.ts";
import type { BlobColumn } from "../../blob-references.ts";
import { type CheckCopy, type CopiedState, type DatabaseBackups, keysIn } from "../../database-backups.ts";
import { versionOf, withClient } from "./one-client.ts";
import { MissingProgram, type ProgramDatabase, requireProgram, runProgram } from "./postgres-programs.ts";

/** Copies a PostgreSQL database. */
export function postgresBackups(database: ProgramDatabase): DatabaseBackups {
  return {
    engine: "postgres",

    // The server measures tables with their indexes and free pages, which say little of a compressed dump.
    size: async () => null,

    copy: (to, columns) =>
      withClient(database.url, async (client) => {
        const { version, schema } = await versionOf(client);
        await requireProgram("pg_dump", version, database);
        // The dump, the counts and the references are of one snapshot, which this transaction holds.
        const state = await client.begin("isolation level repeatable read read only", async (snapshot) => {
          const [row] = await snapshot.unsafe("select pg_export_snapshot() as id");
          await (await open(to, "wx", 0o600)).close();
          const args = [
            "--format=custom",
            "--no-owner",
            "--no-privileges",
            `--schema=${schema}`,
            `--snapshot=${row?.id}`,
            `--file=${to}`,
          ];
          await runProgram("pg_dump", args, database);
          return stateOf(snapshot, columns);
        });
        const dump = await open(to, "r+");
        await dump.sync().finally(() => dump.close());
        return state as CopiedState;
      }),
  };
}

/** Reads the list of a dump, unless `pg_restore` is missing: the hash of the dump is compared in any case. */
export const checkDump: CheckCopy = async (file, _columns, faults) => {
  try {
    await runProgram("pg_restore", ["--list", file]);
  } catch (error) {
    if (error instanceof MissingProgram) return null;
    const { message } = error as Error;
    if (/unsupported version/.test(message))
      throw new SetupError(
        "The dump is of a newer pg_dump than the pg_restore on the PATH: put the programs of PostgreSQL of that version or newer first on the PATH.",
      );
    faults.push(message);
  }
  return null;
};

async function stateOf(client: TransactionSql, columns: readonly BlobColumn[]): Promise<CopiedState> {
  const rows = async (text: string) => (await client.unsafe(text)) as unknown as Record<string, unknown>[];
  const texts = async (text: string) => (await rows(text)).map((row) => String(Object.values(row)[0]));
  const tables = await texts(
    `select table_name from information_schema.tables
     where table_schema = current_schema() and table_type = 'BASE TABLE' order by table_name collate "C"`,
  );
  const counts: [string, number][] = [];
  for (const table of tables)
    counts.push([table, Number((await texts(`select count(*) from "${table}"`))[0])]);
  const has = (table: string) => tables.includes(table);
  const keys = keysIn(tables, columns);
  return {
    instance: has("instance") ? ((await texts("select id from instance"))[0] ?? null) : null,
    migrations: has("migrations") ? await texts('select name from migrations order by name collate "C"') : [],
    tables: Object.fromEntries(counts),
    blobs:
      keys.length === 0
        ? []
        : await texts(`select key from (${keys.join(" union ")}) as keys order by key collate "C"`),
  };
}

import { stat } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { SetupError } from "../../config/setting-types.ts";
import type { BlobColumn } from "../blob-references.ts";
import {
  type CheckCopy,
  type CopiedState,
  type DatabaseBackups,
  keysIn,
  preparations,
  type RestoredTimes,
} from "../database-backups.ts";
import { withFileName } from "./sqlite-connection.ts";
import { copySqlite } from "./sqlite-copy.ts";

/** The number of faults that SQLite lists. */
const FAULTS_MAX = 10;

/** Copies the SQLite database in a file. */
export function sqliteBackups(file: string): DatabaseBackups {
  return {
    engine: "sqlite",

    async size() {
      const found = await stat(file).catch(() => null);
      if (found === null)
        throw new SetupError(`There is no database ${file}: see SERVICE_DATA_DIR and SERVICE_DATABASE_URL.`);
      const log = await stat(`${file}-wal`).catch(() => null);
      return found.size + (log?.size ?? 0);
    },

    async copy(to, columns) {
      await copySqlite(file, to);
      return withCopy(to, (copy) => stateOf(copy, columns));
    },
  };
}

/** Checks a copy of an SQLite database: see `CheckCopy`. */
export const checkSqlite: CheckCopy = async (file, columns, faults) => {
  try {
    return withCopy(file, (copy) => {
      addFaults(copy, faults);
      return stateOf(copy, columns);
    });
  } catch (error) {
    faults.push(`The database cannot be read: ${(error as Error).message}.`);
    return null;
  }
};

/** Opens a copy that nothing changes meanwhile, also where nothing can be written. */
function withCopy<Result>(file: string, work: (copy: DatabaseSync) => Result): Result {
  return withFileName(file, () => {
    const url = pathToFileURL(file);
    url.search = "immutable=1";
    const copy = new DatabaseSync(url, { readOnly: true });
    try {
      return work(copy);
    } finally {
      copy.close();
    }
  });
}

function addFaults(copy: DatabaseSync, faults: string[]): void {
  for (const { integrity_check: found } of copy.prepare(`pragma integrity_check(${FAULTS_MAX})`).all())
    if (found !== "ok") faults.push(`The database is damaged: ${found}.`);
  const orphans = copy.prepare(
    'select "table" as name, count(*) as rows from pragma_foreign_key_check group by 1',
  );
  for (const { name, rows } of orphans.all())
    faults.push(`${rows} rows of the table ${name} refer to rows that are missing.`);
}

function stateOf(copy: DatabaseSync, columns: readonly BlobColumn[]): CopiedState {
  const texts = (sql: string) =>
    copy
      .prepare(sql)
      .all()
      .map((row) => String(Object.values(row)[0]));
  const tables = texts(
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name",
  );
  const count = (table: string) =>
    Number(copy.prepare(`select count(*) as rows from "${table}"`).get()?.rows);
  const has = (table: string) => tables.includes(table);
  const keys = keysIn(tables, columns);
  return {
    instance: has("instance") ? (texts("select id from instance")[0] ?? null) : null,
    migrations: has("migrations") ? texts("select name from migrations order by name") : [],
    tables: Object.fromEntries(tables.map((table) => [table, count(table)])),
    blobs: keys.length === 0 ? [] : texts(`${keys.join(" union ")} order by key`),
  };
}

/** Prepares a copy of a database, also of an older release that lacks some tables, for its use: see `preparations`. */
export function prepareRestored(file: string, times: RestoredTimes): void {
  const copy = new DatabaseSync(file);
  try {
    const find = copy.prepare("select 1 from sqlite_schema where type = 'table' and name = ?");
    for (const statement of preparations((table) => find.get(table) !== undefined, times))
      copy.exec(statement);
  } finally {
    copy.close();
  }
}

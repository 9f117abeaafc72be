import { DatabaseSync } from "node:sqlite";
import { SetupError } from "../../config/setting-types.ts";
import { newId } from "../../crypto/ids.ts";
import { type Schema, sqlText, type Tables, type Value } from "./db.ts";
import { migrationsFor } from "./migrate.ts";
import { isBusy, withFileName } from "./sqlite-connection.ts";

/** Tables that are not copied: the migrations of the other engine, what belongs to processes that have ended, and what triggers write. */
const LEFT_OUT = ["migrations", "readable_migrations", "leases", "nodes", "jobs", "person_words"];

/** The largest number of values of a statement. PostgreSQL takes 65,535. */
const VALUES_MAX = 10_000;

/** A table of SQLite that is copied. */
interface Table {
  name: string;
  columns: string[];
  /** The tables that its rows refer to. */
  after: string[];
}

/**
 * Copies all rows of an SQLite database, which no process may have open, into a migrated PostgreSQL database without rows, in one
 * transaction. Then gives the SQLite database another instance id, so that no service starts on it with the same blobs by mistake. `blobsId`
 * is the id of the instance to which the blobs belong. Returns the number of rows.
 *
 * @throws SetupError if the databases or the blobs do not allow it. Then nothing has changed.
 */
export async function moveSqlite(file: string, target: Schema, blobsId: string | null): Promise<number> {
  const source = withFileName(file, () => openAlone(file));
  try {
    await requireCurrent(source, file);
    requireBlobs(source, file, blobsId);
    const tables = inOrder(tablesOf(source));
    let rows = 0;
    await target.exclusively(async (to) => {
      await requireEmpty(tables, to);
      for (const table of tables) rows += await copy(table, source, to);
    });
    source.prepare("update instance set id = ?").run(newId());
    source.exec("commit");
    return rows;
  } finally {
    source.close();
  }
}

/** Opens a database file that exists, in a transaction that excludes every other process. */
function openAlone(file: string): DatabaseSync {
  const source = new DatabaseSync(`file:${encodeURI(file)}?mode=rw`);
  try {
    // In WAL mode, every process that has the database open holds a lock that this one excludes.
    source.exec("pragma locking_mode = exclusive; begin immediate");
    return source;
  } catch (error) {
    source.close();
    if (isBusy(error)) throw new SetupError(`A process uses the database ${file}: stop the service first.`);
    throw error;
  }
}

function tablesOf(source: DatabaseSync): Table[] {
  const names = source
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name")
    .all()
    .map(({ name }) => String(name));
  return names
    .filter((name) => !LEFT_OUT.includes(name))
    .map((name) => ({
      name,
      columns: source
        .prepare("select name from pragma_table_info(?)")
        .all(name)
        .map((each) => String(each.name)),
      after: source
        .prepare(`select distinct "table" as name from pragma_foreign_key_list(?)`)
        .all(name)
        .map((each) => String(each.name))
        .filter((other) => other !== name),
    }));
}

/** Sorts tables such that each comes after those that its rows refer to. */
function inOrder(tables: Table[]): Table[] {
  const sorted: Table[] = [];
  const waiting = new Set(tables);
  while (waiting.size > 0) {
    const next = [...waiting].filter(({ after }) => ![...waiting].some(({ name }) => after.includes(name)));
    if (next.length === 0) throw new Error("Tables refer to each other in a circle.");
    for (const table of next) {
      sorted.push(table);
      waiting.delete(table);
    }
  }
  return sorted;
}

/** Throws unless all migrations of this release, and no others, were applied to the database. */
async function requireCurrent(source: DatabaseSync, file: string): Promise<void> {
  const applied = source.prepare("select name, hash from migrations order by name").all();
  const known = await migrationsFor("sqlite");
  const isSame = known.every(
    ({ name, hash }, at) => applied[at]?.name === name && applied[at]?.hash === hash,
  );
  if (!isSame || applied.length !== known.length)
    throw new SetupError(
      `The database ${file} is of another release: start this release on it once, stop it, and try again.`,
    );
}

/** Throws if the blobs belong to another database. `blobsId` is the id of their instance; null if they have none. */
function requireBlobs(source: DatabaseSync, file: string, blobsId: string | null): void {
  const { id } = source.prepare("select id from instance").get() ?? {};
  if (id !== blobsId)
    throw new SetupError(
      `The blobs in SERVICE_BLOBS_URL do not belong to the database ${file}: set it to those that its service used, such as the directory \`blobs\` beside the file.`,
    );
}

async function requireEmpty(tables: Table[], to: Tables): Promise<void> {
  for (const { name } of tables) {
    const rows = await to.all(sqlText(`select 1 from ${name} limit 1`));
    if (rows.length > 0)
      throw new SetupError(
        `The database in SERVICE_DATABASE_URL is not empty (table ${name}): create a new one, and start no service on it before the move.`,
      );
  }
}

async function copy({ name, columns }: Table, source: DatabaseSync, to: Tables): Promise<number> {
  const most = Math.floor(VALUES_MAX / columns.length);
  const row = `(${columns.map(() => "?").join(", ")})`;
  const insert = (rows: Value[][]) =>
    to.run(
      sqlText(`insert into ${name} (${columns.join(", ")}) values`, rows.map(() => row).join(", ")),
      ...rows.flat(),
    );
  let count = 0;
  let rows: Value[][] = [];
  for (const each of source.prepare(`select ${columns.join(", ")} from ${name}`).iterate()) {
    rows.push(columns.map((column) => each[column] as Value));
    count += 1;
    if (rows.length < most) continue;
    await insert(rows);
    rows = [];
  }
  if (rows.length > 0) await insert(rows);
  return count;
}

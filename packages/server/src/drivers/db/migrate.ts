import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { assetPath } from "../../config/assets.ts";
import { SetupError } from "../../config/setting-types.ts";
import type { Db, RunningNode, Schema, Tables } from "./db.ts";

interface Migration {
  name: string;
  text: string;
  hash: string;
  /**
   * The beginning of the name of a migration, from the line `-- readable since: 0043`: nodes that know the migration with this name go on
   * working after this one. Null if no older node does.
   */
  readableSince: string | null;
}

const READABLE = /^-- readable since: (\d{4})$/m;

/** The directory of the migrations. Those in a folder with the name of an engine are for that engine only. */
export const MIGRATIONS = assetPath("migrations");

/** Reads the migrations of the directories in the order of their names. A name occurs in one directory only. */
async function read(directories: string[]): Promise<Migration[]> {
  const migrations: Migration[] = [];
  for (const directory of directories) {
    for (const name of existsSync(directory) ? await readdir(directory) : []) {
      if (!name.endsWith(".sql")) continue;
      const text = await readFile(path.join(directory, name), "utf8");
      const hash = createHash("sha256").update(text).digest("hex");
      migrations.push({ name, text, hash, readableSince: READABLE.exec(text)?.[1] ?? null });
    }
  }
  return migrations.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** What `migrate` has found and done. */
export interface Migrated {
  /** The name of the last migration that this version knows. */
  schema: string;
  /** The names of the migrations of a newer version. */
  newer: string[];
  /** The migrations that were applied, and how long each took in milliseconds. */
  applied: { name: string; ms: number }[];
  /** Whether the database had no tables before. */
  isNew: boolean;
}

const isReadable = (since: string | null | undefined, schema: string) => since != null && schema >= since;

/** Returns the migrations for an engine, in the order in which they are applied. */
export const migrationsFor = (engine: Schema["engine"], directory = MIGRATIONS): Promise<Migration[]> =>
  read([directory, path.join(directory, engine)]);

interface Applied {
  name: string;
  hash: string;
  since: string | null;
  release?: string | null;
}

const readApplied = (tables: Pick<Tables, "all">) => tables.all<Applied>`
  select migrations.*, since from migrations
  left join readable_migrations on readable_migrations.name = migrations.name order by migrations.name`;

/** Returns which migrations a database lacks, and the names of those that only a newer version knows. @throws SetupError as `migrate` does. */
function compare(applied: Applied[], migrations: Migration[]): { pending: Migration[]; newer: string[] } {
  const schema = migrations.at(-1)?.name ?? "";
  const newer: string[] = [];
  for (const { name, hash, since, release } of applied) {
    const known = migrations.find((migration) => migration.name === name);
    if (known === undefined) {
      if (!isReadable(since, schema)) {
        const [from, start] = release
          ? [` of release ${release}`, `release ${release} or newer`]
          : ["", "a newer release"];
        throw new SetupError(
          `The database has the migration ${name}${from}, which this release, ${manifest.version}, does not know and cannot work with. Start ` +
            `${start}, or restore a backup from before the upgrade. Nothing has been changed.`,
        );
      }
      newer.push(name);
    } else if (known.hash !== hash) throw new SetupError(`Migration ${name} was applied with another text`);
  }
  return {
    pending: migrations.filter(({ name }) => applied.every((each) => each.name !== name)),
    newer,
  };
}

/** Reads which migrations `migrate` would apply to a database. Changes nothing. @throws SetupError as `migrate` does. */
export async function pendingMigrations(db: Db & Schema): Promise<string[]> {
  const migrations = await migrationsFor(db.engine);
  const [table] =
    db.engine === "sqlite"
      ? await db.all`select name from sqlite_master where name = 'readable_migrations'`
      : await db.all`select tablename from pg_tables where tablename = 'readable_migrations' and schemaname = current_schema()`;
  return compare(table === undefined ? [] : await readApplied(db), migrations).pending.map(
    ({ name }) => name,
  );
}

/**
 * Applies all new migrations, those for every engine and those for the engine of `schema`, in one transaction, on one node at a time. A
 * database that a newer version has migrated is accepted if its migrations are readable for this version (decision 081). `running` reads which
 * nodes use the database.
 *
 * @throws OlderNodeRuns if a node runs that could not read a new migration.
 * @throws SetupError if the database has a migration that this version cannot read, or if the text of a migration has changed since it was
 *   applied.
 */
export async function migrate(
  db: Schema,
  directory = MIGRATIONS,
  running: (tables: Tables) => Promise<RunningNode[]> = async () => [],
): Promise<Migrated> {
  const migrations = await migrationsFor(db.engine, directory);
  const migrated: Migrated = { schema: migrations.at(-1)?.name ?? "", newer: [], applied: [], isNew: false };
  await db.exclusively(async (tables) => {
    await tables.exec(
      "create table if not exists migrations (name text primary key, hash text not null, applied_at bigint not null);" +
        "create table if not exists readable_migrations (name text primary key, since text not null)",
    );
    const before = await readApplied(tables);
    const { pending, newer } = compare(before, migrations);
    migrated.newer = newer;
    migrated.isNew = before.length === 0;
    if (pending.length > 0 && !migrated.isNew) refuseBeside(await running(tables), pending);
    for (const { name, text, hash, readableSince } of pending) {
      const begun = performance.now();
      await tables.exec(text);
      await tables.run`insert into migrations (name, hash, applied_at) values (${name}, ${hash}, ${Date.now()})`;
      if (readableSince !== null)
        await tables.run`insert into readable_migrations (name, since) values (${name}, ${readableSince})`;
      migrated.applied.push({ name, ms: Math.round(performance.now() - begun) });
    }
    await nameRelease(tables, migrated.applied);
  });
  return migrated;
}

/** Writes which release has applied migrations. The column for it comes with one of them. */
async function nameRelease(tables: Tables, applied: { name: string }[]): Promise<void> {
  const [row] = applied.length === 0 ? [] : await tables.all<object>`select * from migrations limit 1`;
  if (row === undefined || !("release" in row)) return;
  for (const { name } of applied)
    await tables.run`update migrations set release = ${manifest.version} where name = ${name}`;
}

/** A node of an older release runs, which must stop before the database is migrated. */
export class OlderNodeRuns extends SetupError {}

/** Throws if a running node could not read one of the migrations. */
function refuseBeside(running: RunningNode[], pending: Migration[]): void {
  for (const { place, schema } of running) {
    const unreadable = pending.find(({ readableSince }) => !isReadable(readableSince, schema));
    if (unreadable !== undefined)
      throw new OlderNodeRuns(
        `Migration ${unreadable.name} cannot be applied while ${place} runs, because its version could not work with it. Stop all nodes of ` +
          "older releases, and start this one again. If that node was killed, it counts as running for 10 seconds more.\nThe service has not started, and nothing has been migrated.",
      );
  }
}

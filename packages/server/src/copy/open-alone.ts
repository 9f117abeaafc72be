import type { Config } from "../config/config.ts";
import { SetupError } from "../config/setting-types.ts";
import type { Db, Schema, Tables } from "../drivers/db/db.ts";
import { knownMigrations, lockDatabase, openDb } from "../drivers/index.ts";
import { runningNodes } from "../instance/nodes.ts";
import { tableNames } from "./copied-tables.ts";

/** A database that no service uses, until it is closed. */
export type OpenDatabase = Db & Schema;

/** Opens a database that no service uses. On SQLite none starts meanwhile; on PostgreSQL none starts during `alone`. */
export async function openAlone(config: Config, use: (db: OpenDatabase) => Promise<void>): Promise<void> {
  const lock = await lockDatabase(config, {
    waitMs: 0,
    refusal: (database, holder) => inUse(database, holder),
  });
  try {
    const db = await openDb(config, () => {});
    try {
      await use(db);
    } finally {
      await db.close();
    }
  } finally {
    lock.release();
  }
}

/** Runs work in one transaction of a database that no service uses. @throws SetupError if one does. */
export const alone = (
  db: OpenDatabase,
  place: string,
  work: (tables: Tables) => Promise<void>,
): Promise<void> =>
  db.exclusively(async (tables) => {
    const [node] = await runningNodes(tables);
    if (node !== undefined) throw new SetupError(inUse(place, node.place));
    await work(tables);
  });

const inUse = (database: string, user: string) =>
  `The database ${database} is used by ${user}. Stop the service first; nothing has been copied.`;

/** What tables a database has: none at all, those of this release, or others. */
export async function tablesIn(db: OpenDatabase): Promise<"none" | "current" | "other"> {
  const names = await tableNames(db);
  if (names.size === 0) return "none";
  if (!names.has("migrations")) return "other";
  const applied = await db.all<{ name: string }>`select name from migrations order by name`;
  const known = await knownMigrations(db.engine);
  return applied.map(({ name }) => name).join() === known.join() ? "current" : "other";
}

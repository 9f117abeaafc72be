import { type Config, isPostgres } from "../config/config.ts";
import { SetupError } from "../config/setting-types.ts";
import type { Db, RunningNode, Schema } from "../drivers/db/db.ts";
import { lockDatabase, openDb } from "../drivers/index.ts";
import { runningNodes } from "./nodes.ts";

/** For how long a command that writes beside a service waits for another command, in milliseconds. */
const COMMAND_WAIT_MS = 10_000;

/** For how long a service that starts waits for the one before it to stop, in milliseconds: a restart is a hand-over. */
export const HAND_OVER_MS = 30_000;

interface Settings {
  config: Config;
  log: { info(message: string): void };
}

/**
 * Waits until no other process writes to an SQLite database, and keeps others from it until `release` is called or the process ends. On PostgreSQL
 * this does nothing: there, `joinNodes` decides who may run beside whom.
 *
 * @throws SetupError if another process still uses the database after `waitMs`.
 */
export async function becomeOnlyWriter(
  { config, log }: Settings,
  waitMs: number,
  use: "service" | "command" = "command",
): Promise<{ release(): void }> {
  return lockDatabase(config, {
    use,
    waitMs,
    onWait: (holder) =>
      log.info(
        `waiting for up to ${waitMs / 1000} s: the database is used by ${holder}, which may be stopping`,
      ),
    refusal: (database, holder) =>
      `The database ${database} is used by ${holder}. A database of SQLite has one service at a time: stop that process, or set SERVICE_DATA_DIR ` +
      "to another directory.",
  });
}

/**
 * Runs work of a command that no service may run beside, such as a restore. While it runs, no service starts. On PostgreSQL, `work` must not call
 * `exclusively`, which it would wait for.
 *
 * @throws SetupError if a service uses the database.
 */
export async function withoutService<Result>(config: Config, work: () => Promise<Result>): Promise<Result> {
  if (isPostgres(config.databaseUrl)) return withoutNodes(config, work);
  const lock = await lockDatabase(config, { waitMs: 0, refusal: stopFirst });
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/**
 * Runs work of a command that changes what a service may be using, as a node of the instance would. A service may run beside it, but no command
 * that needs the service to be stopped. On SQLite, a service that starts meanwhile waits. `db` is the opened database.
 *
 * @throws SetupError if another command uses the database.
 */
export async function besideService<Result>(
  config: Config,
  db: Schema,
  work: () => Promise<Result>,
): Promise<Result> {
  // Such a command holds this lock of PostgreSQL until its end.
  if (isPostgres(config.databaseUrl)) await db.exclusively(async () => {});
  const lock = await lockDatabase(config, {
    waitMs: COMMAND_WAIT_MS,
    besideService: true,
    refusal: (database, user) =>
      `The database ${database} is used by ${user}, which is no service: try again when it has ended. Nothing has been done.`,
  });
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Reads the nodes that run on a PostgreSQL database, which may have no tables yet. */
async function nodesOf(db: Db & Schema): Promise<RunningNode[]> {
  const table = await db.get<{ name: string | null }>`select cast(to_regclass('migrations') as text) as name`;
  return table?.name == null ? [] : runningNodes(db);
}

const stopFirst = (database: string, user: string) =>
  `The database ${database} is used by ${user}. Stop the service first; nothing has been done.`;

async function withoutNodes<Result>(config: Config, work: () => Promise<Result>): Promise<Result> {
  const db = await openDb(config, () => {});
  try {
    let result: [Result] | undefined;
    // A service that starts waits here before it migrates the database.
    await db.exclusively(async () => {
      const [node] = await nodesOf(db);
      if (node !== undefined) throw new SetupError(stopFirst("of SERVICE_DATABASE_URL", node.place));
      result = [await work()];
    });
    return (result as [Result])[0];
  } finally {
    await db.close();
  }
}

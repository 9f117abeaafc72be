import { open } from "node:fs/promises";
import type { BlockList } from "node:net";
import path from "node:path";
import type { Logger } from "pino";
import { type Config, isPostgres } from "../config/config.ts";
import { SetupError } from "../config/setting-types.ts";
import { makeDirectory, makePrivate } from "../disk/private-files.ts";
import type { Ai } from "./ai/ai.ts";
import type { Blobs } from "./blobs/blobs.ts";
import { local } from "./blobs/local.ts";
import type { Bus } from "./bus/bus.ts";
import { memory } from "./bus/memory.ts";
import type { CheckCopy, DatabaseBackups, Engine, RestoredTimes } from "./database-backups.ts";
import type { Db, Schema } from "./db/db.ts";
import { migrate, migrationsFor, pendingMigrations } from "./db/migrate.ts";
import type { OnOperation, OnReachability } from "./db/postgres/pool.ts";
import { sqlite } from "./db/sqlite.ts";
import { type Lock, LockHeld, type LockOptions, lockSqlite } from "./db/sqlite-lock.ts";
import { systemResolve } from "./outbound/checked-lookup.ts";
import { LazyOutbound } from "./outbound/lazy-outbound.ts";
import type { Outbound } from "./outbound/outbound.ts";

/** What is told about a database. Durations are in seconds. */
interface DbListeners {
  /** Called when a PostgreSQL server becomes unreachable or reachable again. */
  onReachability?: OnReachability;
  /** Called after each operation of PostgreSQL. */
  onOperation?: OnOperation;
  /** Called after each transaction of SQLite that writes. */
  onCommit?: (seconds: number) => void;
}

/**
 * Opens the database that the settings name, without migrating it. Loads the PostgreSQL driver only if it is needed. `onIoError` is called
 * when the disk fails during a commit of SQLite.
 */
export async function openDb(
  config: Config,
  onIoError: (error: unknown) => void,
  { onReachability, onOperation, onCommit }: DbListeners = {},
): Promise<Db & Schema> {
  if (isPostgres(config.databaseUrl)) {
    const { postgres } = await import("./db/postgres/postgres.ts");
    return postgres(config.databaseUrl, onReachability, undefined, onOperation);
  }
  const file = config.databaseUrl.slice("sqlite:".length);
  await makeDirectory(path.dirname(file));
  // SQLite creates its log files with the mode of the database file, so the database file is created as private first.
  await (await open(file, "a", 0o600)).close();
  for (const suffix of ["", "-wal", "-shm"]) await makePrivate(file + suffix, 0o600);
  return sqlite(file, onIoError, { reserve: config.diskReserve, onCommit });
}

/**
 * Waits until no other process has locked the SQLite database that the settings name, and locks it until `release` is called or the process ends.
 * Does nothing for PostgreSQL. @throws SetupError with the message of `refusal` if it is still locked after the wait.
 */
export async function lockDatabase(
  { databaseUrl }: Config,
  { refusal, ...options }: LockOptions & { refusal: (database: string, holder: string) => string },
): Promise<Lock> {
  if (isPostgres(databaseUrl)) return { release() {} };
  const file = databaseUrl.slice("sqlite:".length);
  await makeDirectory(path.dirname(file));
  try {
    return await lockSqlite(file, options);
  } catch (error) {
    throw error instanceof LockHeld ? new SetupError(refusal(file, error.holder)) : error;
  }
}

/** Returns what copies the database that the settings name, without opening it. */
export async function databaseBackups(
  { databaseUrl }: Config,
  environment: Record<string, string | undefined>,
): Promise<DatabaseBackups> {
  if (isPostgres(databaseUrl)) {
    const { postgresBackups } = await import("./db/postgres/postgres-backups.ts");
    return postgresBackups({ url: databaseUrl, environment });
  }
  return (await import("./db/sqlite-backups.ts")).sqliteBackups(databaseUrl.slice("sqlite:".length));
}

/**
 * Copies an SQLite database into the data directory if migrations are pending: see `copy-before-migrations.ts`. Returns the path of the copy; null if
 * there is none. A database without tables is not copied.
 */
export async function copyBeforeMigrations(config: Config, db: Db & Schema): Promise<string | null> {
  if (!config.copiesBeforeMigrations || db.engine !== "sqlite") return null;
  const [pending, all] = [await pendingMigrations(db), await migrationsFor("sqlite")];
  const [first] = pending;
  if (first === undefined || pending.length === all.length) return null;
  const { copyBeforeMigrations } = await import("./db/copy-before-migrations.ts");
  return copyBeforeMigrations(config.databaseUrl.slice("sqlite:".length), config.dataDir, first);
}

/** Locks a folder of backups until `release` is called or the process ends. @throws SetupError if another process has locked it. */
export async function lockBackups(directory: string): Promise<Lock> {
  try {
    return await lockSqlite(path.join(directory, "backups"), { waitMs: 0 });
  } catch (error) {
    if (!(error instanceof LockHeld)) throw error;
    throw new SetupError(
      `Another backup is written into ${directory}, by ${error.holder}: try again when it has ended.`,
    );
  }
}

/** Returns the names of the migrations that this release knows for an engine. */
export async function knownMigrations(engine: Engine): Promise<string[]> {
  return (await migrationsFor(engine)).map(({ name }) => name);
}

/** Returns what checks the copy of a database. */
export async function checkOf(engine: Engine): Promise<CheckCopy> {
  if (engine === "sqlite") return (await import("./db/sqlite-backups.ts")).checkSqlite;
  return (await import("./db/postgres/postgres-backups.ts")).checkDump;
}

/** Prepares a copy of an SQLite database for its use: see `sqlite-backups.ts`. */
export async function prepareRestored(file: string, times: RestoredTimes): Promise<void> {
  return (await import("./db/sqlite-backups.ts")).prepareRestored(file, times);
}

/** Returns the number of tables of a PostgreSQL database. */
export async function postgresTables(url: string): Promise<number> {
  return (await import("./db/postgres/postgres-restore.ts")).tablesOf(url);
}

/** Restores a dump into a PostgreSQL database: see `postgres-restore.ts`. */
export async function restorePostgresDump(
  ...args: Parameters<typeof import("./db/postgres/postgres-restore.ts").restoreDump>
): Promise<void> {
  await (await import("./db/postgres/postgres-restore.ts")).restoreDump(...args);
}

/** Whether a PostgreSQL database is what a restore with a token has made. */
export async function isRestoredDump(url: string, token: string): Promise<boolean> {
  return (await import("./db/postgres/postgres-restore.ts")).hasToken(url, token);
}

/** Opens the blobs of a folder of backups, or others in a directory. Their disk may be filled. */
export const openBlobsIn = (directory: string): Promise<Blobs> => local(directory);

/** Creates the tables of an empty database. */
export const createTables = (schema: Schema): Promise<unknown> => migrate(schema);

/**
 * Opens the blob store that the settings name. Loads the driver for S3 only if it is needed, which may use a lock of the database to mark new
 * blobs. With null, blobs cannot be marked.
 */
export async function openBlobs(config: Config, schema: Schema | null): Promise<Blobs> {
  const { s3: settings, dataDir, diskReserve: reserve } = config;
  if (settings === null) return local(config.blobsUrl.slice("file:".length), reserve);
  const { s3 } = await import("./blobs/s3/s3.ts");
  const staging = { directory: path.join(dataDir, "staging"), reserve };
  const exclusively = async (work: () => Promise<void>) => {
    if (schema === null) throw new TypeError("These blobs were opened without a database");
    await schema.exclusively(work);
  };
  return s3({ settings, staging, exclusively });
}

/** Opens the bus that the settings name, for the nodes of the instance with this id. Loads the Redis driver only if it is needed. */
export async function openBus({ busUrl }: Config, instanceId: string, log: Logger): Promise<Bus> {
  if (busUrl === "memory:") return memory();
  const { openRedis } = await import("./bus/redis/open-redis.ts");
  return openRedis(busUrl, instanceId, log);
}

/**
 * Opens a client for requests to other servers, which connects to public addresses and to those that the operator has approved. `servicePort`
 * is the port on which the service listens.
 */
export function openOutbound(approved: BlockList, servicePort: number): Outbound {
  const rules = { approved, servicePort };
  return new LazyOutbound(async () => {
    const { UndiciOutbound } = await import("./outbound/undici-outbound.ts");
    return new UndiciOutbound(systemResolve, rules);
  });
}

/** The path that is added to `SERVICE_AI_BASE_URL` if the URL has none. The paths of both providers' APIs begin with it. */
const API_VERSION = "/v1";

/**
 * Opens the AI provider that the settings name. Returns null if no API key is set. Imports the modules for a provider only if they are
 * needed.
 */
export async function openAi({ aiProvider, aiApiKey, aiBaseUrl }: Config): Promise<Ai | null> {
  if (aiApiKey === null) return null;
  const url = aiBaseUrl === null ? null : new URL(aiBaseUrl);
  if (url?.pathname === "/") url.pathname = API_VERSION;
  const baseUrl = url?.href.replace(/\/$/, "");
  const { SdkAi } = await import("./ai/sdk-ai.ts");
  if (aiProvider === "openai") {
    const { openai } = await import("./ai/openai.ts");
    return new SdkAi(openai(aiApiKey, baseUrl));
  }
  const { anthropic } = await import("./ai/anthropic.ts");
  return new SdkAi(anthropic(aiApiKey, baseUrl));
}

import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { finishRestore, isInterrupted } from "./backup/interrupted-restore.ts";
import { blobColumnsOf } from "./canvases/canvas-data.ts";
import { type Config, isPostgres, readConfig, unknownVariables } from "./config/config.ts";
import { SetupError } from "./config/setting-types.ts";
import { warningsOf } from "./config/warnings.ts";
import { makePrivateDirectory } from "./disk/private-files.ts";
import type { Blobs } from "./drivers/blobs/blobs.ts";
import type { Db, Schema } from "./drivers/db/db.ts";
import { MIGRATIONS, migrate, OlderNodeRuns, pendingMigrations } from "./drivers/db/migrate.ts";
import { copyBeforeMigrations, knownMigrations, openBlobs, openDb } from "./drivers/index.ts";
import type { Env, InstanceContext } from "./env.ts";
import { newLog } from "./http/log.ts";
import { joinInstance, type Stores, withoutCredentials } from "./instance/instance-id.ts";
import { readInstance, requireUsed } from "./instance/instance-state.ts";
import { runningNodes } from "./instance/nodes.ts";
import { becomeOnlyWriter } from "./instance/one-writer.ts";
import { type Metrics, newMetrics } from "./metrics/metrics.ts";
import { storedData } from "./stored-data.ts";

/** The time between two attempts to migrate a database while an older node uses it. */
const HAND_OVER_RETRY_MS = 500;
/** Matches the names of the files and folders that the service creates in its data directory. */
const SERVICE_FILES = /^(easel\.db.*|blobs.*|uploads|staging|session-secret.*|before-.*|restoring.*)$/;

/** The settings of a process, the log and the metrics. */
interface Settings {
  config: Config;
  log: Env["log"];
  metrics: Metrics;
}

/** The opened and migrated stores of an instance, and what its processes have alike. */
export interface Instance extends InstanceContext {
  db: Db & Schema;
  /** The name of the last migration that this version knows. */
  schema: string;
  blobs: Blobs;
  /** Closes the stores, and lets another process use the database. */
  close(): Promise<void>;
}

/**
 * Gives the configured database and blob store the same instance id, even if they had different ones. The service then accepts them as
 * belonging together. Returns a message for the operator.
 */
export async function joinStores(environment: Record<string, string | undefined>): Promise<string> {
  const instance = await openInstance(readSettings(environment));
  try {
    return await joinInstance(storesOf(instance));
  } finally {
    await instance.close();
  }
}

/**
 * Applies the migrations that the configured database lacks. With `dry`, only lists them. Returns a message for the operator. @throws SetupError
 * while a service that cannot work with them uses the database.
 */
export async function migrateStores(
  environment: Record<string, string | undefined>,
  dry: boolean,
): Promise<string> {
  const settings = readSettings(environment);
  const lock = dry ? null : await becomeOnlyWriter(settings, 0);
  const file = settings.config.databaseUrl.replace(/^sqlite:/, "");
  try {
    if (dry && !isPostgres(settings.config.databaseUrl) && !existsSync(file))
      return `${file} is not there yet: the first start makes it.`;
    const db = await openDatabase(settings);
    try {
      const pending = await pendingMigrations(db);
      if (!dry) await migrateDatabase(db, settings.log, 0);
      if (pending.length === 0) return "The schema of the database is current.";
      return [dry ? "These migrations would be applied:" : "Applied:", ...pending].join("\n  ");
    } finally {
      await db.close();
    }
  } finally {
    lock?.release();
  }
}

/** Reads the settings, and warns of those that are unknown or risky. */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  const config = readConfig(environment);
  const log = newLog(config.logLevel);
  for (const name of unknownVariables(environment))
    log.warn(`${name} is set but is no setting of this service`);
  for (const warning of warningsOf(config)) log.warn(warning);
  return { config, log, metrics: newMetrics() };
}

/**
 * Waits for up to `waitMs` until no other process writes to the database, opens it, migrates its schema, and opens the blob store. With null,
 * others may use an SQLite database, too.
 */
export async function openInstance(
  settings: Settings,
  waitMs: number | null = 0,
  use: "service" | "command" = "command",
): Promise<Instance> {
  const { config, log, metrics } = settings;
  await makePrivateDirectory(config.dataDir, SERVICE_FILES);
  const lock = waitMs === null ? null : await becomeOnlyWriter(settings, waitMs, use);
  let db: (Db & Schema) | undefined;
  try {
    const finish = async () => {
      if (await finishRestore(config)) log.warn("a restore that was interrupted is finished");
    };
    if (!isPostgres(config.databaseUrl)) await finish();
    db = await openDatabase(settings);
    // A command that restores a PostgreSQL database holds this lock.
    if (isPostgres(config.databaseUrl) && (await isInterrupted(config))) await db.exclusively(finish);
    const copy = await copyBeforeMigrations(config, db);
    if (copy !== null) log.info({ copy }, "the database is copied before it is migrated");
    const schema = await migrateDatabase(db, log, waitMs ?? 0);
    const stores = { db, blobs: await openBlobs(config, db) };
    return {
      config,
      ...stores,
      schema,
      canvasData: storedData(),
      clock: Date.now,
      log,
      metrics,
      async close() {
        await Promise.all([stores.db.close(), stores.blobs.close()]);
        lock?.release();
      },
    };
  } catch (error) {
    await db?.close();
    lock?.release();
    throw error;
  }
}

function openDatabase({ config, log, metrics }: Settings): Promise<Db & Schema> {
  const onBrokenDisk = (error: unknown) => {
    log.fatal({ err: error }, "the disk failed to persist a commit: the service stops");
    log.flush?.();
    process.exit(1);
  };
  const engine = isPostgres(config.databaseUrl) ? "postgres" : "sqlite";
  metrics.dbAvailable.set(1, engine);
  return openDb(config, onBrokenDisk, {
    onReachability(change, cause) {
      metrics.dbAvailable.set(change === "away" ? 0 : 1, engine);
      if (change === "away")
        log.error({ err: cause }, "the database is unavailable: requests that need it get 503");
      else log.info("the database is available again");
    },
    onCommit: (seconds) => metrics.commitDuration.observe(seconds, engine),
    onOperation: (seconds) => metrics.operationDuration.observe(seconds, "postgresql"),
  });
}

/**
 * Migrates the schema, as soon as no node runs that could not read it, which may take up to `waitMs`. Returns the name of the last migration that
 * this version knows.
 */
async function migrateDatabase(db: Schema, log: Env["log"], waitMs: number): Promise<string> {
  const until = performance.now() + waitMs;
  for (let isWaiting = false; ; isWaiting = true) {
    try {
      const { schema, newer, applied, isNew } = await migrate(db, MIGRATIONS, runningNodes);
      if (isNew) log.info({ schema }, "the tables of a new database are made");
      else for (const { name, ms } of applied) log.info({ migration: name, ms }, "the database is migrated");
      if (newer.length > 0) {
        const message =
          "a newer release has migrated the database, and this one can work with it: upgrade this node, too";
        log.warn({ newer }, message);
      }
      return schema;
    } catch (error) {
      if (!(error instanceof OlderNodeRuns) || performance.now() > until) throw error;
      if (!isWaiting) log.info(`waiting for up to ${waitMs / 1000} s, in case it stops: ${error.message}`);
      await sleep(HAND_OVER_RETRY_MS);
    }
  }
}

/** @throws SetupError if a command could not work on the database, because it has another schema than that of this release, or was copied away. */
export async function requireCurrent(db: Db & Schema, { databaseUrl }: Config): Promise<void> {
  const [pending, place] = [await pendingMigrations(db), withoutCredentials(databaseUrl)];
  if (pending.length > 0) {
    const isEmpty = pending.length === (await knownMigrations(db.engine)).length;
    throw new SetupError(
      isEmpty
        ? `The database ${place} has no tables of a service yet: start the service first.`
        : `The database ${place} is of an older release: it lacks the migration ${pending[0]} of this one. Use the easel-server of the service ` +
            "that runs, or start that of this release first. Nothing has been done.",
    );
  }
  const state = await readInstance(db);
  if (state !== null) requireUsed(state, place);
}

export const storesOf = ({ canvasData, ...instance }: Instance): Stores => ({
  ...instance,
  blobColumns: blobColumnsOf(canvasData),
});

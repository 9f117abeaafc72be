import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { readConfig } from "../../src/config/config.ts";
import { migrate } from "../../src/drivers/db/migrate.ts";
import { openDb } from "../../src/drivers/index.ts";
import { keptPostgres, stopKeptPostgres, templateOf } from "./kept-postgres.ts";
import { keptRedis, stopKeptRedis } from "./kept-redis.ts";
import { postgresPrograms } from "./postgres-server.ts";
import { redisProgram } from "./redis-server.ts";

/** The environment variable with the URL of the temporary PostgreSQL server; unset where PostgreSQL is not installed. */
export const POSTGRES = "EASEL_TEST_POSTGRES";

/** The environment variable with the URL of the temporary Redis server; unset where Redis is not installed. */
export const REDIS = "EASEL_TEST_REDIS";

/** The environment variable with the path of an SQLite database that has the tables of the service; tests copy the file. */
export const SQLITE_TEMPLATE = "EASEL_TEST_SQLITE_TEMPLATE";
/** The environment variable with the name of a PostgreSQL database that has the tables of the service; tests create databases from it. */
export const POSTGRES_TEMPLATE = "EASEL_TEST_POSTGRES_TEMPLATE";

/** The path of a file system in memory, where a commit does not wait for a disk. */
const MEMORY = "/dev/shm";
const MEMORY_BYTES = 4 * 1024 ** 3;

const endings: (() => unknown)[] = [];

/** Puts temporary files into a directory in memory, if enough memory is free. */
function useMemory(): void {
  if (!existsSync(MEMORY)) return;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < MEMORY_BYTES) return;
  const directory = mkdtempSync(path.join(MEMORY, "easel-tests-"));
  endings.push(() => rmSync(directory, { recursive: true, force: true }));
  // PostgreSQL runs as another user, who must be able to open files below the directory.
  chmodSync(directory, 0o711);
  process.env.TMPDIR = directory;
}

/** Creates the tables of the service in an empty database. */
export async function createTables(databaseUrl: string): Promise<void> {
  const db = await openDb(readConfig({ SERVICE_DATABASE_URL: databaseUrl }), (error) => {
    throw error;
  });
  await migrate(db);
  await db.close();
}

/** Says that the tests of a server are skipped because it is not installed. In CI that is an error. */
function skip(server: string): void {
  if (process.env.CI) throw new Error(`${server} is not installed, and CI runs every test`);
  process.stdout.write(`${server} is not installed: its tests are skipped\n`);
}

/** Starts Redis unless a previous run has. */
async function startSharedRedis(): Promise<void> {
  const program = redisProgram();
  if (program === undefined) return skip("Redis");
  process.env[REDIS] = await keptRedis(program);
  if (process.env.CI) endings.push(stopKeptRedis);
}

/**
 * Runs once before the suite: enables the compile cache, moves temporary files into memory, starts PostgreSQL and Redis unless a previous run
 * has, and creates the database templates.
 */
export async function globalSetup(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= path.join(os.tmpdir(), "node-compile-cache");
  useMemory();
  const templates = mkdtempSync(path.join(os.tmpdir(), "easel-templates-"));
  endings.push(() => rmSync(templates, { recursive: true, force: true }));
  const file = path.join(templates, "easel.db");
  await createTables(`sqlite:${file}`);
  process.env[SQLITE_TEMPLATE] = file;
  await startSharedRedis();
  const programs = postgresPrograms();
  if (programs === undefined) return skip("PostgreSQL");
  const url = await keptPostgres(programs);
  // A machine of CI keeps nothing.
  if (process.env.CI) endings.push(stopKeptPostgres);
  process.env[POSTGRES] = url;
  process.env[POSTGRES_TEMPLATE] = await templateOf(url, createTables);
}

/** Runs once after the suite. */
export async function globalTeardown(): Promise<void> {
  for (const end of endings.reverse()) await end();
}

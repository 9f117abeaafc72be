import os from "node:os";
import path from "node:path";
import { postgresPrograms, startPostgres } from "./postgres-server.ts";

/** The environment variable with the URL of the temporary PostgreSQL; unset where it is not installed. */
export const POSTGRES = "EASEL_TEST_POSTGRES";

let stop: (() => Promise<void>) | undefined;

/**
 * Runs once before the suite: starts a temporary PostgreSQL on a free port, and enables the compile cache for all test files.
 */
export async function globalSetup(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= path.join(os.tmpdir(), "node-compile-cache");
  const programs = postgresPrograms();
  if (programs === undefined) {
    if (process.env.CI) throw new Error("PostgreSQL is not installed, and CI runs every test");
    process.stdout.write("PostgreSQL is not installed: its tests are skipped\n");
    return;
  }
  const server = await startPostgres(programs);
  process.env[POSTGRES] = server.url;
  stop = () => server.remove();
}

/** Runs once after the suite. */
export async function globalTeardown(): Promise<void> {
  await stop?.();
}

import os from "node:os";
import path from "node:path";
import { postgresPrograms, startPostgres } from "./postgres-server.ts";

/** Where tests find the throw-away PostgreSQL; unset when the machine has none. */
export const POSTGRES = "EASEL_TEST_POSTGRES";

let stop: (() => Promise<void>) | undefined;

/**
 * Runs once before the suite: one PostgreSQL on a free port, with data that is thrown away, and what the first test compiles
 * is kept for all others.
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

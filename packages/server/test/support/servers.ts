import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { postgresPrograms, startPostgres } from "./postgres-server.ts";

/** The environment variable with the URL of the temporary PostgreSQL server; unset where PostgreSQL is not installed. */
export const POSTGRES = "EASEL_TEST_POSTGRES";

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

/**
 * Runs once before the suite: enables the compile cache, moves temporary files into memory, and starts a temporary PostgreSQL on a free
 * port.
 */
export async function globalSetup(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= path.join(os.tmpdir(), "node-compile-cache");
  useMemory();
  const programs = postgresPrograms();
  if (programs === undefined) {
    if (process.env.CI) throw new Error("PostgreSQL is not installed, and CI runs every test");
    process.stdout.write("PostgreSQL is not installed: its tests are skipped\n");
    return;
  }
  const server = await startPostgres(programs);
  process.env[POSTGRES] = server.url;
  endings.push(() => server.remove());
}

/** Runs once after the suite. */
export async function globalTeardown(): Promise<void> {
  for (const end of endings.reverse()) await end();
}

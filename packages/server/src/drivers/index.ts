import { open } from "node:fs/promises";
import path from "node:path";
import type { Config } from "../config/config.ts";
import { makeDirectory, makePrivate } from "../disk/private-files.ts";
import type { Blobs } from "./blobs/blobs.ts";
import { local } from "./blobs/local.ts";
import type { Bus } from "./bus/bus.ts";
import { memory } from "./bus/memory.ts";
import type { Db, Schema } from "./db/db.ts";
import type { Tell } from "./db/pool.ts";
import { sqlite } from "./db/sqlite.ts";

/**
 * The database that the settings name, its schema not yet brought forward. What is not chosen is not loaded. `broken` is called when
 * a commit could not be kept, `tell` when a database server goes away and comes back.
 */
export async function openDb(
  config: Config,
  broken: (error: unknown) => void,
  tell: Tell = () => {},
): Promise<Db & Schema> {
  if (/^postgres(ql)?:/.test(config.databaseUrl)) {
    const { postgres } = await import("./db/postgres.ts");
    return postgres(config.databaseUrl, tell);
  }
  const file = config.databaseUrl.slice("sqlite:".length);
  await makeDirectory(path.dirname(file));
  // The log files get the mode of the database.
  await (await open(file, "a", 0o600)).close();
  for (const suffix of ["", "-wal", "-shm"]) await makePrivate(file + suffix, 0o600);
  return sqlite(file, broken);
}

/** The blob store that the settings name. */
export async function openBlobs(config: Config): Promise<Blobs> {
  return local(config.blobsUrl.slice("file:".length), config.diskReserve);
}

/** The bus that the settings name. */
export async function openBus(_config: Config): Promise<Bus> {
  return memory();
}

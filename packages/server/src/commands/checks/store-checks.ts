import { existsSync } from "node:fs";
import { type Config, isLoopback, isPostgres } from "../../config/config.ts";
import { type Space, spaceOf } from "../../disk/disk-space.ts";
import { disksOf } from "../../disk/disk-watch.ts";
import { pendingMigrations } from "../../drivers/db/migrate.ts";
import { openBlobs, openBus, openDb } from "../../drivers/index.ts";
import { newLog } from "../../http/log.ts";
import { type Row, rowsOf } from "./row.ts";

const GIB = 1024 ** 3;

/** Checks the database, the blobs, the disks and the bus of the settings. Makes no tables, files or directories. */
export const checkStores = async (config: Config): Promise<Row[]> => [
  ...(await rowsOf("database", () => checkDatabase(config), "See SERVICE_DATABASE_URL")),
  ...(await rowsOf("blobs", () => checkBlobs(config), "See SERVICE_BLOBS_URL")),
  ...(await rowsOf("disk", () => checkDisks(config), "See SERVICE_DATA_DIR")),
  ...(await rowsOf("bus", () => checkBus(config), "See SERVICE_BUS_URL")),
];

const sqliteFile = ({ databaseUrl }: Config) => databaseUrl.slice("sqlite:".length);

async function checkDatabase(config: Config): Promise<Row[] | string> {
  const isSqlite = !isPostgres(config.databaseUrl);
  if (isSqlite && !existsSync(sqliteFile(config)))
    return `${sqliteFile(config)} is not there yet: the first start makes it`;
  const db = await openDb(config, () => {});
  try {
    const query = isSqlite
      ? db.get<{ version: string }>`select 'SQLite ' || sqlite_version() as version`
      : db.get<{ version: string }>`select 'PostgreSQL ' || current_setting('server_version') as version`;
    const { version = "" } = (await query) ?? {};
    const pending = await pendingMigrations(db);
    const migrations =
      pending.length === 0
        ? "its schema is current"
        : `the next start applies ${pending.length} ${pending.length === 1 ? "migration" : "migrations"} (${pending.at(0)} to ${pending.at(-1)}): make a backup first`;
    return [
      { name: "database", state: "ok", message: `${version}; ${migrations}` },
      ...(isSqlite ? [] : [tlsOf(config.databaseUrl)]),
    ];
  } finally {
    await db.close();
  }
}

/** Tells whether the connection to PostgreSQL is protected. Without `sslmode` it is, unless the server is on this machine. */
function tlsOf(databaseUrl: string): Row {
  const url = new URL(databaseUrl);
  const mode = url.searchParams.get("sslmode");
  const host = url.searchParams.get("host") ?? url.hostname;
  const row = (state: Row["state"], message: string): Row => ({ name: "database TLS", state, message });
  if (host === "" || host.startsWith("/") || isLoopback(host))
    return row("ok", "the server is on this machine");
  if (mode === null || mode === "verify-full")
    return row("ok", `the certificate of ${host} is verified, with its name`);
  return row(
    "warning",
    `sslmode=${mode} does not verify that the server is ${host}: use sslmode=verify-full in SERVICE_DATABASE_URL, with sslrootcert for your own authority`,
  );
}

async function checkBlobs(config: Config): Promise<string> {
  const directory = config.s3 === null ? config.blobsUrl.slice("file:".length) : null;
  if (directory !== null && !existsSync(directory))
    return `${directory} is not there yet: the first start makes it`;
  // The driver of S3 asks for a lock of the database at its start, which a check does not need: nothing else starts with it.
  const alone = {
    engine: "sqlite" as const,
    exclusively: async (work: (none: never) => Promise<void>) => work(undefined as never),
  };
  const blobs = await openBlobs(config, alone);
  try {
    await blobs.tryWrite();
    return `${directory ?? `bucket ${config.s3?.bucket}`} can be written`;
  } finally {
    await blobs.close();
  }
}

async function checkDisks(config: Config): Promise<Row[]> {
  const rows: Row[] = [];
  for (const directory of await disksOf(config)) {
    const space = await spaceOf(directory, config.diskReserve);
    if (space === null) continue;
    const message = `${(space.free / GIB).toFixed(1)} GiB of ${(space.total / GIB).toFixed(1)} are free at ${directory}`;
    rows.push({ name: "disk", ...DISKS[space.state](message) });
  }
  return rows;
}

const DISKS: Record<Space["state"], (message: string) => Omit<Row, "name">> = {
  enough: (message) => ({ state: "ok", message }),
  scarce: (message) => ({ state: "warning", message: `${message}: make room soon, or enlarge the disk` }),
  reserve: (message) => ({
    state: "failed",
    message: `${message}, less than SERVICE_DISK_RESERVE_BYTES: writes are refused until there is more`,
  }),
};

async function checkBus(config: Config): Promise<string> {
  const bus = await openBus(config, "check", newLog("silent"));
  try {
    await bus.publish("ready", "");
    return config.busUrl === "memory:" ? "in the memory of the one process" : "the server takes messages";
  } finally {
    await bus.close();
  }
}

import { execFileSync } from "node:child_process";
import connect from "postgres";
import { postgresPrograms, startPostgres } from "../packages/server/test/support/postgres-server.ts";
import { type RedisServer, redisProgram, startRedis } from "../packages/server/test/support/redis-server.ts";
import { pinned } from "./child.ts";

/** The core on which the servers run, and so the databases that work for them. */
const PINNED = pinned ? ["taskset", "-c", "0"] : [];

/** A PostgreSQL server that syncs every commit to disk. */
export interface Database {
  pid: number;
  port: number;
  /** Creates an empty database. Returns its SERVICE_DATABASE_URL, which leads through `port` if that is given. */
  create(name: string, port?: number): Promise<string>;
  stop(): Promise<void>;
}

/** Starts PostgreSQL with its default durability. Throws if it is not installed. */
export async function startDatabase(): Promise<Database> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error("PostgreSQL is not installed.");
  const settings = { fsync: "on", synchronous_commit: "on", max_connections: "200" };
  const { url, pid, remove } = await startPostgres(programs, { settings, through: PINNED });
  return {
    pid,
    port: Number(new URL(url).port),
    async create(name, port) {
      const admin = connect(`${url}/postgres`, { max: 1 });
      await admin.unsafe(`create database ${name}`);
      await admin.end();
      const own = new URL(`${url}/${name}`);
      if (port !== undefined) own.port = String(port);
      return own.href;
    },
    stop: remove,
  };
}

/** Starts a Redis server that keeps nothing on disk. Returns null if Redis is not installed. */
export async function startBus(): Promise<RedisServer | null> {
  const program = redisProgram();
  if (program === undefined) return null;
  const server = await startRedis(program);
  if (pinned) execFileSync("taskset", ["-a", "-c", "-p", "0", String(server.pid)], { stdio: "ignore" });
  return server;
}

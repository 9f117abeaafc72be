import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect as connectTo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import connect from "postgres";
import { postgresPrograms, startPostgres } from "../packages/server/test/support/postgres-server.ts";
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

/** A Redis server that keeps nothing on disk. */
export interface Redis {
  pid: number;
  port: number;
  stop(): Promise<void>;
}

/** Starts Redis, or returns null if it is not installed. */
export async function startRedis(): Promise<Redis | null> {
  if (spawnSync("redis-server", ["--version"]).status !== 0) return null;
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as AddressInfo;
  free.close();
  await once(free, "close");
  const options = ["--bind", "127.0.0.1", "--port", String(port), "--save", "", "--appendonly", "no"];
  const [command = "", ...rest] = [...PINNED, "redis-server", ...options];
  const child = spawn(command, rest, { stdio: "ignore" });
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`Redis ended with ${child.exitCode}.`);
    await sleep(20);
  }
  const stop = async () => {
    if (child.exitCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  return { pid: child.pid as number, port, stop };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTo({ host: "127.0.0.1", port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

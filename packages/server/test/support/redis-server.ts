import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PATIENCE_MS } from "@easel/conformance/patience";
import { createClient } from "@redis/client";
import { freePort } from "./postgres-server.ts";

/** Returns the path of `redis-server` or `valkey-server` on PATH; undefined if neither is installed. */
export function redisProgram(): string | undefined {
  const places = (process.env.PATH ?? "").split(path.delimiter);
  const names = ["redis-server", "valkey-server"];
  return names
    .flatMap((name) => places.map((place) => path.join(place, name)))
    .find((file) => existsSync(file));
}

/** A Redis server with empty data, which it keeps in memory only. */
export interface RedisServer {
  /** SERVICE_BUS_URL. */
  url: string;
  port: number;
  password: string;
  /** The id of the server's process. Another one after `start`. */
  readonly pid: number;
  /** Starts the server again on the same port, empty; resolves when it responds. */
  start(): Promise<void>;
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
  isRunning(): boolean;
  /** `freeze` suspends the process, so that connections stay open without responses; `thaw` resumes it. */
  freeze(): void;
  thaw(): void;
  /** Returns the CPU time of the server so far, in microseconds. */
  cpu(): Promise<number>;
  /** Sends a command, and returns the reply. */
  send(...command: string[]): Promise<unknown>;
  remove(): Promise<void>;
}

/** Sends a command to a server over a connection of its own. */
export async function sendRedis(url: string, command: string[]): Promise<unknown> {
  const client = createClient({ url, socket: { reconnectStrategy: false, connectTimeout: 5_000 } });
  client.on("error", () => {});
  await client.connect();
  try {
    return await client.sendCommand(command);
  } finally {
    client.destroy();
  }
}

/**
 * Starts a Redis server on a free port of loopback, with a password, because other users of the machine reach the port. Its files are in
 * `home`. `settings` are further options, such as `--maxmemory 10mb`. With `isKept`, it outlives this process.
 */
export async function startRedis(
  program: string,
  settings: string[] = [],
  home = mkdtempSync(path.join(os.tmpdir(), "easel-redis-")),
  isKept = false,
): Promise<RedisServer> {
  const password = randomBytes(16).toString("hex");
  const file = path.join(home, "redis.conf");
  const run = (port: number) => {
    const lines = [`port ${port}`, "bind 127.0.0.1", 'save ""', "appendonly no", `dir ${home}`];
    writeFileSync(file, [...lines, `requirepass ${password}`, ...settings, ""].join("\n"), { mode: 0o600 });
    return spawn(program, [file], { stdio: "ignore", detached: isKept });
  };
  for (let tries = 0; tries < 5; tries++) {
    const port = await freePort();
    const url = `redis://:${password}@127.0.0.1:${port}`;
    let server = run(port);
    if (!(await answers(server, url))) continue;
    if (isKept) server.unref();
    const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
      if (server.exitCode !== null || server.signalCode !== null || !server.kill(signal)) return;
      await once(server, "exit");
    };
    return {
      url,
      port,
      password,
      get pid() {
        return server.pid as number;
      },
      async start() {
        server = run(port);
        if (!(await answers(server, url))) throw new Error("Redis does not start again");
      },
      stop,
      isRunning: () => server.exitCode === null && server.signalCode === null,
      freeze: () => void server.kill("SIGSTOP"),
      thaw: () => void server.kill("SIGCONT"),
      async cpu() {
        const info = String(await sendRedis(url, ["INFO", "cpu"]));
        const seconds = [...info.matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm)].map(([, value]) =>
          Number(value),
        );
        return 1e6 * seconds.reduce((sum, each) => sum + each, 0);
      },
      send: (...command) => sendRedis(url, command),
      async remove() {
        server.kill("SIGCONT");
        await stop();
        rmSync(home, { recursive: true, force: true });
      },
    };
  }
  throw new Error("Redis does not start");
}

/** Waits until the server responds. Returns false if it exits instead, because its port was taken. */
async function answers(server: ChildProcess, url: string): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  while (server.exitCode === null) {
    try {
      await sendRedis(url, ["PING"]);
      return true;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(20);
    }
  }
  return false;
}

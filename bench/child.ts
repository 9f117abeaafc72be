import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";

/** A server under measurement. */
export interface Server {
  url: string;
  port: number;
  pid: number;
  stop(): Promise<void>;
}

/** The CPU core that a process may run on. */
export type Core = 0 | 1 | "any";

/** Whether this machine can pin a process to a CPU core. If so, servers run on core 0, and the processes that send requests on core 1. */
export const pinned = cpus().length > 1 && spawnSync("taskset", ["-c", "0,1", "true"]).status === 0;

/** Starts a script of this repository in a directory without `.env`. Pins the process to a core if requested and possible. */
export function startNode(core: Core, script: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  const node = [process.execPath, join(import.meta.dirname, "..", script), ...args];
  const [command = "", ...rest] = pinned && core !== "any" ? ["taskset", "-c", String(core), ...node] : node;
  return spawn(command, rest, {
    cwd: tmpdir(),
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
}

/** Resolves with the standard output of a process when it has exited with code 0. Rejects if it exits with another code. */
export async function outputOf(child: ChildProcess): Promise<string> {
  let output = "";
  child.stdout?.on("data", (part) => {
    output += part;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`A process of the benchmark ended with ${code}.`);
  return output;
}

/** Starts a server and waits until it prints its address. */
export async function startServer(
  core: Core,
  script: string,
  args: string[],
  env?: NodeJS.ProcessEnv,
): Promise<Server> {
  const child = startNode(core, script, args, env);
  const url = await addressOf(child);
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  return { url, port: Number(new URL(url).port), pid: child.pid ?? 0, stop };
}

async function addressOf(child: ChildProcess): Promise<string> {
  let printed = "";
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The server ended with ${code} before it listened.`)));
    child.stdout?.on("data", (part) => {
      printed += part;
      const url = /at (https?:\/\/localhost:\d+)/.exec(printed)?.[1];
      if (url) resolve(url);
    });
  });
}

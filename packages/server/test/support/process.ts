import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { atEnd, type Scope } from "./service.ts";

const MAIN = path.join(import.meta.dirname, "../../src/main.ts");

/** The service as a process of its own, as `npm start` runs it. */
export interface Process {
  base: string;
  /** Sends a signal; answers the exit code once the process is gone, null where the signal ended it. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<number | null>;
}

/** Starts the service on a data directory; killed at the end of the scope where it still runs. */
export async function startProcess(
  scope: Scope,
  directory: string,
  more: Record<string, string> = {},
): Promise<Process> {
  const settings = { SERVICE_PORT: "0", SERVICE_DATA_DIR: directory, SERVICE_RATELIMIT_ENABLED: "off" };
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, ...settings, SERVICE_LOG_LEVEL: "warn", ...more },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const end: Process["end"] = async (signal) => {
    child.kill(signal);
    return (await exited)[0];
  };
  atEnd(scope, () => end("SIGKILL"));
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { base: /http:\S+/.exec(line.toString())?.[0] ?? "", end };
}

/** Kills a service amid work, at some moment after so many acknowledgements; answers when everybody has noticed. */
export async function killAmid(
  { end }: Process,
  acknowledgements: number,
  work: (acknowledged: () => void) => Promise<unknown>,
): Promise<void> {
  const enough = Promise.withResolvers<void>();
  let left = acknowledgements;
  const done = work(() => {
    if (--left === 0) enough.resolve();
  });
  await Promise.race([enough.promise, done]);
  // What is written together is acknowledged together: it shall not always be the moment after that.
  await sleep(randomInt(50));
  await end("SIGKILL");
  await done;
}

/** The headers of a request by the owner of the examples. */
export async function signIn(base: string): Promise<{ cookie: string }> {
  const body = JSON.stringify({ email: "dev@example.com" });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${base}/auth/dev/session`, { method: "POST", headers, body });
  assert.equal(answer.status, 204);
  return { cookie: answer.headers.get("set-cookie")?.split(";")[0] ?? "" };
}

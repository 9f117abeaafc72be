import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { PATIENCE_MS } from "@easel/conformance/patience";
import { freePort } from "./postgres-server.ts";
import { atEnd, type Scope } from "./service.ts";
import type { TestEnv } from "./test-env.ts";

/** The environment variable with the path of an installed program; unset where tests start the sources. */
export const INSTALLED = "EASEL_TEST_PROGRAM";

/** Whether tests start an installed program instead of the sources. */
export const isInstalled = process.env[INSTALLED] !== undefined;

/** The Node that runs the program: `EASEL_TEST_NODE`, or that of the tests. */
export const NODE = process.env.EASEL_TEST_NODE ?? process.execPath;

/** The program that tests start as a process of its own. */
export const PROGRAM = process.env[INSTALLED] ?? path.join(import.meta.dirname, "../../start.js");
const RETRY_MS = 10;

/** The service as a separate process, as `npm start` runs it. */
export interface Process {
  base: string;
  pid: number;
  /** Sends a signal; resolves with the exit code, null where the signal ended the process. */
  end(signal: "SIGKILL" | "SIGTERM" | "SIGUSR2"): Promise<number | null>;
}

/**
 * Starts the service on a data directory; kills it at the end of the scope if it still runs. `errors` is the file descriptor of its log, and
 * `program` that of another release.
 */
export async function startProcess(
  scope: Scope,
  directory: string,
  more: Record<string, string> = {},
  errors: number | "inherit" = "inherit",
  program = PROGRAM,
): Promise<Process> {
  const settings = { SERVICE_PORT: "0", SERVICE_DATA_DIR: directory, SERVICE_RATELIMIT_ENABLED: "off" };
  const child = spawn(NODE, [program], {
    env: { ...process.env, ...settings, SERVICE_LOG_LEVEL: "warn", ...more },
    stdio: ["ignore", "pipe", errors],
  });
  const exited = once(child, "exit");
  const end: Process["end"] = async (signal) => {
    child.kill(signal);
    return (await exited)[0];
  };
  atEnd(scope, () => end("SIGKILL"));
  const failed = exited.then(([code]) => assert.fail(`the service has ended with ${code} at its start`));
  const [line] = (await Promise.race([once(child.stdout as Readable, "data"), failed])) as [Buffer];
  return { base: /http:\S+/.exec(line.toString())?.[0] ?? "", pid: child.pid as number, end };
}

/**
 * Starts the installed program for tests that only send requests: reading the context of the service, which is in another process, throws.
 * Otherwise as `startService`.
 */
export async function startInstalled(
  scope: Scope,
  directory: string,
  settings: Record<string, string>,
  hostname: string,
): Promise<{ base: string; env: TestEnv }> {
  const port = await freePort();
  const base = `http://${hostname}:${port}`;
  await startProcess(scope, directory, {
    SERVICE_RATELIMIT_ENABLED: "on",
    SERVICE_BASE_URL: base,
    SERVICE_HOST: "127.0.0.1",
    SERVICE_PORT: String(port),
    ...settings,
  });
  const unreachable = () => assert.fail("the service is in a process of its own");
  return { base, env: new Proxy({} as TestEnv, { get: unreachable }) };
}

/** Runs `work` and kills the service shortly after `acknowledgements` acknowledged writes. Resolves when `work` has ended. */
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
  // A random delay varies the moment of the kill, because the writes of one batch are acknowledged together.
  await sleep(randomInt(50));
  await end("SIGKILL");
  await done;
}

/** Signs in as the owner of the example canvases and returns the headers, once the example canvas `guestbook` is deployed. */
export async function signIn(base: string): Promise<{ cookie: string }> {
  const body = JSON.stringify({ email: "dev@example.com" });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${base}/auth/dev/session`, { method: "POST", headers, body });
  assert.equal(answer.status, 204);
  const headersOfOwner = { cookie: answer.headers.get("set-cookie")?.split(";")[0] ?? "" };
  const entered = () => fetch(`${base}/v1/c/guestbook/me`, { headers: headersOfOwner });
  for (let waited = 0; (await entered()).status !== 200; waited += RETRY_MS) {
    assert.ok(waited < PATIENCE_MS, "the guestbook is not deployed");
    await sleep(RETRY_MS);
  }
  return headersOfOwner;
}

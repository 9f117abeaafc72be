import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { createToken, type Env, upsertUser } from "@easel/server";
import { type Scope, startService, temporaryDirectory } from "../../../server/test/support/service.ts";
import { run } from "../../src/run.ts";
import type { Ask } from "../../src/terminal/ask.ts";
import { createTerminal } from "../../src/terminal/terminal.ts";

/** The configuration of the person of a test file. It has no sign-ins. */
const CONFIG = mkdtempSync(path.join(os.tmpdir(), "easel-config-"));
process.once("exit", () => rmSync(CONFIG, { recursive: true, force: true }));

/** The outcome of a run of `easel`. */
export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Options of a run of `easel`. The run does not inherit environment variables from the tests, but gets those in `env`. */
export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  signal?: AbortSignal;
  /** Whether stdin and stderr count as a terminal, so that `easel` can ask questions. It shows no animations there. */
  isTerminal?: boolean;
  /** Whether stdout counts as a terminal. */
  isOutputTerminal?: boolean;
  /** Text on stdin. */
  input?: string;
  /** The answers to the questions of the run, in order. */
  answers?: (string | boolean)[];
  /** Called with everything that the run has written to stderr, whenever it writes. */
  onStderr?(text: string): void;
  /** Called with everything that the run has written to stdout, whenever it writes. */
  onStdout?(text: string): void;
}

/** Returns prompts that give these answers in order, without a terminal. Fails when there are more questions than answers. */
function scriptedAsk(answers: (string | boolean)[]): Ask {
  const next = async () => answers.shift() ?? assert.fail("more questions than answers");
  return { possible: true, confirm: next, choose: next, text: next, secret: next } as Ask;
}

/** Runs `easel` in this process, and returns its exit code and its output. */
export async function easel(args: string[], options: RunOptions = {}): Promise<Outcome> {
  const { cwd = "/nonexistent", env = {}, signal = new AbortController().signal, input = "" } = options;
  const isTTY = options.isTerminal ?? false;
  const output = { stdout: "", stderr: "" };
  const streams = {
    stdin: Object.assign(new PassThrough(), { isTTY }),
    stdout: Object.assign(new PassThrough(), { isTTY: options.isOutputTerminal ?? false }),
    stderr: Object.assign(new PassThrough(), { isTTY }),
  };
  streams.stdin.end(input);
  streams.stdout.setEncoding("utf8").on("data", (text) => {
    output.stdout += text;
    options.onStdout?.(output.stdout);
  });
  streams.stderr.setEncoding("utf8").on("data", (text) => {
    output.stderr += text;
    options.onStderr?.(output.stderr);
  });
  // Without this variable, the configuration of the person who runs the tests would be used.
  const environment = {
    EASEL_CONFIG_DIR: CONFIG,
    NO_COLOR: "1",
    TERM: "dumb",
    ...env,
  };
  const terminal = createTerminal(streams, { env: environment, signal });
  if (options.answers !== undefined) Object.assign(terminal, { ask: scriptedAsk([...options.answers]) });
  const code = await run(args, { env: environment, cwd, terminal, signal });
  return { code, ...output };
}

/** Creates a personal access token for the person with an e-mail address. Returns the environment variables for `easel` to use it. */
export async function signedIn(
  base: string,
  env: Env,
  email = "owner@example.com",
): Promise<Record<string, string>> {
  const user = await upsertUser(env.db, email, null, env.clock());
  if (user === null) throw new Error(`${email} is deactivated`);
  const { token } = await createToken({ user, credential: null }, { name: "test", expiresAt: null }, env);
  return { EASEL_URL: base, EASEL_TOKEN: token };
}

/**
 * Starts a service with an owner who is signed in, and stops it when the scope ends. `settings` are environment variables of the service.
 * `env` in the result are the environment variables for `easel` to act as the owner.
 */
export async function startSite(
  scope: Scope,
  settings: Record<string, string> = {},
): Promise<{ base: string; service: Env; env: Record<string, string> }> {
  const { base, env: service } = await startService(scope, settings);
  return { base, service, env: await signedIn(base, service) };
}

/** Creates a folder with files in a temporary directory, and returns its path. */
export async function folderWith(
  scope: Scope,
  name: string,
  files: Record<string, string | Buffer>,
): Promise<string> {
  const folder = path.join(await temporaryDirectory(scope), name);
  await mkdir(folder);
  await addFiles(folder, files);
  return folder;
}

/** Writes files to a folder. */
export async function addFiles(folder: string, files: Record<string, string | Buffer>): Promise<void> {
  for (const [file, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), content);
  }
}

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { PATIENCE_MS } from "@easel/conformance/patience";
import { atEnd, type Scope, temporaryDirectory } from "../../../server/test/support/service.ts";

const run = promisify(execFile);

/** The interval at which the screen is read. Each read starts a process. */
const POLL_MS = 100;

/** The reason to skip tests in a terminal; false where tmux is installed. In CI a missing tmux is an error. */
export const noTmux: string | false = !existsSync("/usr/bin/tmux") && "tmux is not installed";
if (noTmux && process.env.CI) throw new Error(`${noTmux}, and CI runs every test`);

/** The prompt of the shell, with the exit code of the last command. */
const PROMPT = /^\[(\d+)\] /gm;

/** The exit code of a command that has ended, and its output on the screen. */
interface Ended {
  code: number;
  screen: string;
}

/** A shell in a terminal of 100 columns. */
export interface Terminal {
  /** Starts a command: types it at the prompt and presses Enter. */
  start(command: string): Promise<void>;
  /** Types a line, for example the answer to a question, and presses Enter. */
  type(line: string): Promise<void>;
  /** Presses a key, by the name that tmux gives it, such as `Enter` or `C-c`. */
  press(key: string): Promise<void>;
  /** Waits until the output of the last command matches, and returns what matches. Fails if the command ends first. */
  shows(pattern: RegExp): Promise<string>;
  /** Waits until the last command has ended. */
  ended(): Promise<Ended>;
  /** Runs a command that asks nothing, and returns its exit code and its output. */
  run(command: string): Promise<Ended>;
}

/** Opens a terminal in a directory. `env` are the environment variables of the shell; there are no others. */
export async function openTerminal(
  scope: Scope,
  cwd: string,
  env: Record<string, string>,
): Promise<Terminal> {
  const socket = path.join(await temporaryDirectory(scope), "tmux");
  const tmux = (...args: string[]) => run("tmux", ["-S", socket, "-f", "/dev/null", ...args]);
  const all = { ...env, TERM: "screen-256color", LC_ALL: "C.UTF-8", PS1: "[$?] " };
  const variables = Object.entries(all).map(([name, value]) => `${name}=${value}`);
  const size = ["-x", "100", "-y", "50"];
  await tmux("-u", "new-session", "-d", ...size, "-c", cwd, "--", "env", "-i", ...variables, "sh", "-i");
  atEnd(scope, () => tmux("kill-server").catch(() => {}));

  /** The number of commands typed so far. The screen has one prompt for each, and one more when the last command has ended. */
  let typed = 0;
  /** Reads the screen. Returns the output of the last command, and its exit code if it has ended. */
  async function readScreen(): Promise<{ screen: string; code: number | undefined }> {
    // -J joins lines that are wrapped at the edge of the screen. -S - includes lines that have scrolled off.
    const { stdout } = await tmux("capture-pane", "-p", "-J", "-S", "-");
    const prompts = [...stdout.matchAll(PROMPT)];
    const start = typed === 0 ? 0 : (prompts[typed - 1]?.index ?? 0);
    const end = prompts[typed];
    const text = stdout.slice(start, end?.index);
    const screen = text.slice(text.indexOf("\n") + 1).replace(/(?<![ \n])[ \n]+$/gm, "");
    return { screen, code: end === undefined ? undefined : Number(end[1]) };
  }
  async function wait<Found>(
    what: string,
    find: (seen: Awaited<ReturnType<typeof readScreen>>) => Found | undefined,
  ) {
    for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(POLL_MS)) {
      const seen = await readScreen();
      const found = find(seen);
      if (found !== undefined) return found;
      assert.ok(Date.now() < deadline, `${what}: not within ${PATIENCE_MS} ms\n${seen.screen}`);
    }
  }
  await wait("the prompt", ({ code }) => code);
  const terminal: Terminal = {
    async start(command) {
      await wait("the prompt", ({ code }) => code);
      typed += 1;
      await terminal.type(command);
    },
    async type(line) {
      await tmux("send-keys", "-l", "--", line);
      await tmux("send-keys", "Enter");
    },
    async press(key) {
      await tmux("send-keys", key);
    },
    shows: (pattern) =>
      wait(String(pattern), ({ screen, code }) => {
        const match = pattern.exec(screen)?.[0];
        assert.ok(match !== undefined || code === undefined, `no ${pattern} in\n${screen}`);
        return match;
      }),
    ended: () =>
      wait("the end of the command", ({ screen, code }) =>
        code === undefined ? undefined : { code, screen },
      ),
    async run(command) {
      await terminal.start(command);
      return terminal.ended();
    },
  };
  return terminal;
}

import type { Terminal } from "./terminal/terminal.ts";

/** The environment of a run of `easel`. Tests replace it. */
export interface Context {
  /** The environment variables. */
  env: Record<string, string | undefined>;
  /** The working directory, an absolute path. */
  cwd: string;
  terminal: Terminal;
  /** Aborted when the person presses Ctrl-C. */
  signal: AbortSignal;
}

import type { Terminal } from "./terminal/terminal.ts";

/** The surroundings of a run of `easel`, which tests replace. */
export interface Context {
  /** The environment variables. */
  env: Record<string, string | undefined>;
  /** The working directory, an absolute path. */
  cwd: string;
  terminal: Terminal;
  /** Aborted when the person presses Ctrl-C. */
  signal: AbortSignal;
}

import type { Readable, Writable } from "node:stream";

/** The standard streams of the process, or those of a test. `isTTY` is true for a terminal. */
export interface Streams {
  stdin: Readable & { isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean; columns?: number };
}

/** Whether text on a stream may have colours: `NO_COLOR` and `FORCE_COLOR` decide first, then whether the stream is a terminal. */
export function hasColors(stream: { isTTY?: boolean }, env: Record<string, string | undefined>): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== "") return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== "0";
  return stream.isTTY === true && env.TERM !== "dumb";
}

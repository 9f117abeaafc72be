import { clean } from "./clean.ts";
import type { Streams } from "./streams.ts";
import { leaveRawMode } from "./waiting.ts";

/** The progress bar of a long operation. Without a terminal, only the first message and that of `done` are printed. */
export interface Progress {
  /** Moves the bar forward by `steps`, and shows `message` beside it. */
  advance(steps: number, message: string): void;
  /** Replaces the bar by a final message. */
  done(message: string): void;
  /** Removes the bar after a failure, whose message is printed elsewhere. */
  stop(): void;
}

/** Shows a progress bar with `total` steps, or only prints `message` if `animated` is false. */
export async function startProgress(
  { stdin, stderr }: Streams,
  { message, total, animated }: { message: string; total: number; animated: boolean },
): Promise<Progress> {
  if (!animated) {
    stderr.write(`${message}\n`);
    return { advance() {}, done: (text) => void stderr.write(`${clean(text)}\n`), stop() {} };
  }
  const { progress } = await import("@clack/prompts");
  const bar = progress({ max: Math.max(1, total), output: stderr });
  bar.start(message);
  leaveRawMode(stdin);
  return {
    advance: (steps, text) => bar.advance(steps, clean(text)),
    done: (text) => bar.stop(clean(text)),
    stop: () => bar.clear(),
  };
}

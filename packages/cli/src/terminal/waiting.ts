import type { Streams } from "./streams.ts";

/** Shows that the command waits for something, with a spinner in a terminal. Returns a function that removes it. */
export async function startWaiting(
  { stdin, stderr }: Streams,
  { message, animated }: { message: string; animated: boolean },
): Promise<() => void> {
  if (!animated) {
    stderr.write(`${message}…\n`);
    return () => {};
  }
  const { spinner } = await import("@clack/prompts");
  const shown = spinner({ output: stderr, indicator: "timer" });
  shown.start(message);
  leaveRawMode(stdin);
  return () => shown.clear();
}

/**
 * Turns off the raw mode that spinners and progress bars turn on. In raw mode Ctrl-C sends no signal. The spinner or bar would then end the
 * process with exit code 0 before the command has cleaned up.
 */
export function leaveRawMode(stdin: Streams["stdin"]): void {
  if (stdin.isTTY) stdin.setRawMode?.(false);
}

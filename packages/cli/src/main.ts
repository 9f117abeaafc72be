import process from "node:process";
import { EXIT } from "./exit.ts";
import { version } from "./version.ts";

// Exits without an error if the reader closes the pipe, as in `easel list | head -1`.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) =>
    process.exit(error.code === "EPIPE" ? EXIT.ok : EXIT.failed),
  );

const interruption = new AbortController();
const { signal } = interruption;
for (const name of ["SIGINT", "SIGTERM"] as const)
  process.on(name, () => {
    // The first signal lets the command clean up, the second ends it at once.
    if (signal.aborted) process.exit(EXIT.interrupted);
    // The terminal shows `^C` where the cursor is. What follows, such as the prompt of the shell, begins on a line of its own.
    if (name === "SIGINT" && process.stderr.isTTY) process.stderr.write("\n");
    interruption.abort(new Error("Interrupted."));
  });

const { env } = process;
const args = process.argv.slice(2);

async function main(): Promise<number> {
  const streams = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
  const [{ run }, { createTerminal }] = await Promise.all([
    import("./run.ts"),
    import("./terminal/terminal.ts"),
  ]);
  return run(args, { env, cwd: process.cwd(), terminal: createTerminal(streams, { env, signal }), signal });
}

// The version is printed without loading anything else, because scripts and prompts ask for it often.
if (args.length === 1 && (args[0] === "--version" || args[0] === "-v")) process.stdout.write(`${version}\n`);
else {
  process.exitCode = await main();
  // An interrupted command has cleaned up, but timers and connections of libraries could keep the process alive.
  if (signal.aborted) process.exit();
}

import { CommanderError } from "commander";
import { Refusal } from "./api/refusal.ts";
import type { Context } from "./context.ts";
import { EXIT, Failure } from "./exit.ts";
import { createProgram } from "./program.ts";
import { clean } from "./terminal/clean.ts";
import { version } from "./version.ts";

/** Whether an error comes from a system call, such as EACCES. Such errors are printed without a stack. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string";

/** Prints the error of a run with `--json` on stdout, beside the text for people on stderr. Nothing else may have been printed there. */
function printJson(error: Failure, { terminal }: Context): void {
  const { message, hint = null, exit } = error;
  const code = error instanceof Refusal ? (error.code ?? null) : null;
  terminal.print(`${JSON.stringify({ error: { message, hint, code, exit: EXIT[exit] } }, null, 2)}\n`);
}

/** Prints an error and returns the exit code. */
function report(error: unknown, context: Context): number {
  const { terminal, signal, env } = context;
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const isInterruption = signal.aborted || (error instanceof Failure && error.exit === "interrupted");
  const label = terminal.style("red", "error:", "stderr");
  if (isInterruption) {
    terminal.say(error instanceof Failure ? error.message : "Interrupted.");
    return EXIT.interrupted;
  }
  if (error instanceof Failure) {
    terminal.say(`${label} ${error.message}`);
    if (error.hint !== undefined) terminal.say(terminal.style("dim", error.hint, "stderr"));
    if (terminal.json && !terminal.hasPrinted) printJson(error, context);
    return EXIT[error.exit];
  }
  if (isSystemError(error) && !env.EASEL_DEBUG) terminal.say(`${label} ${clean(error.message)}`);
  else
    terminal.say(`${label} this is a bug of easel: ${error instanceof Error ? error.stack : String(error)}`);
  return EXIT.failed;
}

/** Runs `easel` with arguments such as `["list", "--json"]`. Returns the exit code. */
export async function run(args: readonly string[], context: Context): Promise<number> {
  try {
    // The completion script of a shell runs `easel complete`. Its arguments are the words to complete, which must not be parsed as options.
    if (args[0] === "complete") {
      const words = args.slice(args[1] === "--" ? 2 : 1);
      await (await import("./complete/complete.ts")).complete(words, version, context);
    } else {
      // `commander` describes only the first command of `easel help data export`.
      const words = args[0] === "help" && args.length > 2 ? [...args.slice(1), "--help"] : args;
      await createProgram(version, context).parseAsync(words, { from: "user" });
    }
    return EXIT.ok;
  } catch (error) {
    return report(error, context);
  }
}

import { styleText } from "node:util";
import { type Ask, createAsk } from "./ask.ts";
import { clean } from "./clean.ts";
import { type Progress, startProgress } from "./progress.ts";
import { hasColors, type Streams } from "./streams.ts";
import { type Column, formatTable } from "./table.ts";
import { startWaiting } from "./waiting.ts";

type Style = Parameters<typeof styleText>[0];

/** The output and the questions of a run of `easel`. The result goes to stdout, everything else to stderr. */
export interface Terminal {
  readonly streams: Streams;
  readonly ask: Ask;
  /** Prints the result on stdout: the JSON of `value` with `--json`, otherwise the text that `format` returns. */
  result(value: unknown, format: () => string): void;
  /** Whether results are printed as JSON. */
  json: boolean;
  /** Prints a line on stderr. */
  say(line: string): void;
  /** Prints a warning on stderr. */
  warn(line: string): void;
  /** Shows the progress of work that has `total` steps. */
  progress(message: string, total: number): Promise<Progress>;
  /** Shows that the command waits for something. Returns a function to call when the wait is over. */
  wait(message: string): Promise<() => void>;
  /** Formats rows as a table that fits the terminal. */
  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string;
  /** Styles a text for the stream `on`, by default stdout. Returns the text unchanged if colours are off. */
  style(style: Style, text: string, on?: "stdout" | "stderr"): string;
}

/** Creates the terminal of a run. Questions need a terminal on stdin and stderr, and are never asked in CI. */
export function createTerminal(
  streams: Streams,
  { env, signal }: { env: Record<string, string | undefined>; signal: AbortSignal },
): Terminal {
  const isCi = env.CI !== undefined && !["", "false", "0"].includes(env.CI);
  const animated = streams.stderr.isTTY === true && !isCi && env.TERM !== "dumb";
  const possible = streams.stdin.isTTY === true && streams.stderr.isTTY === true && !isCi;
  const style: Terminal["style"] = (format, text, on = "stdout") =>
    hasColors(streams[on], env) ? styleText(format, text, { validateStream: false }) : text;
  const say = (line: string) => void streams.stderr.write(`${line}\n`);
  return {
    streams,
    ask: createAsk(streams, { possible, signal }),
    json: false,
    result(value, format) {
      streams.stdout.write(this.json ? `${JSON.stringify(value, null, 2)}\n` : format());
    },
    say,
    warn: (line) => say(`${style("yellow", "warning:", "stderr")} ${clean(line)}`),
    progress: (message, total) => startProgress(streams, { message, total, animated }),
    wait: (message) => startWaiting(streams, { message, animated }),
    table: (rows, columns) =>
      formatTable(rows, columns, streams.stdout.isTTY ? (streams.stdout.columns ?? 80) : undefined),
    style,
  };
}

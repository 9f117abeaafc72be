import { randomUUID } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { styleText } from "node:util";
import { type Ask, createAsk } from "./ask.ts";
import { clean, cleanLines } from "./clean.ts";
import { type Progress, startProgress } from "./progress.ts";
import { hasColors, type Streams } from "./streams.ts";
import { type Column, formatTable } from "./table.ts";
import { startWaiting } from "./waiting.ts";

type Style = Parameters<typeof styleText>[0];

/**
 * The output and the questions of a run of `easel`. The result goes to stdout, everything else to stderr. Control characters in all texts are
 * escaped (`cleanLines`), except those of `style`.
 */
export interface Terminal {
  readonly stdin: Streams["stdin"];
  /** Whether stdout is a terminal. */
  readonly isTerminal: boolean;
  readonly ask: Ask;
  /** Prints the result on stdout: the JSON of `value` with `--json`, otherwise the text that `format` returns. */
  result(value: unknown, format: () => string): void;
  /** Prints a text on stdout. */
  print(text: string): void;
  /** Prints stored data on stdout: unchanged into a pipe or file, and as text on a terminal. */
  printData(
    chunks: AsyncIterable<Uint8Array | string> | Iterable<string>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Whether anything has been printed on stdout. */
  readonly hasPrinted: boolean;
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

/** Whether `easel` runs on a build server, where there is nobody. */
export const isCi = ({ CI }: Record<string, string | undefined>): boolean =>
  CI !== undefined && !["", "false", "0"].includes(CI);

/** Creates the terminal of a run. Questions need a terminal on stdin and stderr, and are never asked in CI. */
export function createTerminal(
  streams: Streams,
  { env, signal }: { env: Record<string, string | undefined>; signal: AbortSignal },
): Terminal {
  const animated = streams.stderr.isTTY === true && !isCi(env) && env.TERM !== "dumb";
  const possible = streams.stdin.isTTY === true && streams.stderr.isTTY === true && !isCi(env);
  // Stands for the escape character in styled text. The texts of others cannot contain it.
  const mark = randomUUID();
  const style: Terminal["style"] = (format, text, on = "stdout") =>
    hasColors(streams[on], env)
      ? styleText(format, cleanLines(text), { validateStream: false }).replaceAll("\u001b", mark)
      : text;
  const shown = (text: string) => cleanLines(text).replaceAll(mark, "\u001b");
  const say = (line: string) => void streams.stderr.write(`${shown(line)}\n`);
  let hasPrinted = false;
  const print = (text: string) => {
    hasPrinted = true;
    streams.stdout.write(shown(text));
  };
  const isTerminal = streams.stdout.isTTY === true;
  return {
    stdin: streams.stdin,
    isTerminal,
    get hasPrinted() {
      return hasPrinted;
    },
    ask: createAsk(streams, { possible, signal }),
    json: false,
    result(value, format) {
      print(this.json ? `${JSON.stringify(value, null, 2)}\n` : format());
    },
    print,
    async printData(chunks, signal) {
      hasPrinted = true;
      async function* texts() {
        for await (const chunk of chunks) yield cleanLines(Buffer.from(chunk).toString());
      }
      await pipeline(isTerminal ? texts() : chunks, streams.stdout, { signal, end: false });
    },
    say,
    warn: (line) => say(`${style("yellow", "warning:", "stderr")} ${clean(line)}`),
    progress: (message, total) => startProgress(streams, { message: clean(message), total, animated }),
    wait: (message) => startWaiting(streams, { message: clean(message), animated }),
    table: (rows, columns) =>
      formatTable(rows, columns, isTerminal ? (streams.stdout.columns ?? 80) : undefined),
    style,
  };
}

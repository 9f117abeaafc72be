import readline from "node:readline/promises";

/** What a command writes to and asks. */
export interface Terminal {
  /** Writes a line to standard output. */
  print(line: string): void;
  /** Writes a line to standard error. */
  note(line: string): void;
  /** Asks on standard error, and returns the answer, or null if there is none. Null if nobody is there to be asked. */
  ask: ((question: string) => Promise<string | null>) | null;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  // A reader of the output may stop early, as `head` does.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
  return {
    print: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    ask: process.stdin.isTTY ? ask : null,
  };
}

async function ask(question: string): Promise<string | null> {
  const lines = readline.createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Ctrl-D or Ctrl-C: what comes next begins a line of its own.
    const ended = new Promise<null>((resolve) =>
      lines.once("close", () => {
        process.stderr.write("\n");
        resolve(null);
      }),
    );
    return await Promise.race([lines.question(question), ended]);
  } finally {
    lines.removeAllListeners("close").close();
  }
}

/** What a terminal could take for a command, or show in another order or place than it is: controls, formats, and ends of lines and paragraphs. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Returns a text that somebody else has chosen as it can be printed: what is no letter, sign or space as `\u{…}`. */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`);

/** Returns a value as JSON in one line, in which nothing but printable characters occurs as it is. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replace(UNPRINTABLE, (each) =>
    Array.from({ length: each.length }, (_, at) => each.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );

/** Returns lines with the cells of rows in columns. The last column is not padded. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map(printable));
  const widths = cells[0]?.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0))) ?? [];
  return cells.map((row) =>
    row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join("  "),
  );
}

/** Returns a time in epoch milliseconds to the minute, in UTC, such as `2026-01-31 09:05Z`. */
export const minute = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")}Z`;

/** Returns a number with its noun, such as `1 session` or `3 canvases`. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

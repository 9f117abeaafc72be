/** An option of a command, such as `--keep 14`. */
export interface Option {
  /** Whether it has a value. */
  type: "string" | "boolean";
  /** What the value is in the help, such as `N`. */
  value?: string;
  /** What the option does. */
  meaning: string;
  /** Whether the command is refused without it. */
  required?: boolean;
}

/** What a command line has after the name of the command. */
export interface Given {
  /** The arguments without names, as many as the command takes. */
  args: string[];
  options: Readonly<Record<string, string | boolean | undefined>>;
  environment: Record<string, string | undefined>;
}

/** A command of `easel-server`. What it does, in one line, is in the table of the commands. */
export interface Command {
  /** The names of its arguments, such as `DIRECTORY`; `[NAME]` may be left out. The command is refused with more or fewer. */
  args?: readonly string[];
  options?: Readonly<Record<string, Option>>;
  /**
   * Runs it. Prints to standard output. A `SetupError` is printed without a stack, and ends the process with 1; returning a number ends it with
   * that code.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing, and `start` goes on.
  run(given: Given): Promise<number | void>;
}

/** Defines a command. */
export const command = (definition: Command): Command => definition;

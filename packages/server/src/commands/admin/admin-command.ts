import { SetupError } from "../../config/setting-types.ts";
import type { Command, Given } from "../command.ts";
import { type Shell, withShell } from "./shell.ts";
import { processTerminal, type Terminal } from "./terminal.ts";

/** What a command of `admin` works with. */
export interface AdminCall extends Pick<Given, "args"> {
  shell: Shell;
  terminal: Terminal;
  /** Returns the text of an option; undefined if it was not given. */
  text(option: string): string | undefined;
  /** Whether an option without a value was given. */
  has(option: string): boolean;
  /** Asks whether to do what the question says, unless `--yes` was given. @throws SetupError for any answer but `y` or `yes`. */
  confirm(question: string): Promise<void>;
}

/** The option of commands that ask before they do something. */
export const YES = { yes: { type: "boolean", meaning: "Does it without asking." } } as const;

export const JSON_LINES = {
  json: { type: "boolean", meaning: "Prints a JSON object in each line." },
} as const;

type Definition = Pick<Command, "args" | "options"> & {
  run(call: AdminCall): ReturnType<Command["run"]>;
};

/** A command of `easel-server admin`. Tests give it a terminal. */
export const adminCommand = ({ run, ...definition }: Definition) => ({
  ...definition,
  run: ({ args, options, environment }: Given, terminal: Terminal = processTerminal()) =>
    withShell(environment, (shell) => {
      const text = (option: string) => options[option] as string | undefined;
      const has = (option: string) => options[option] === true;
      const confirm = (question: string) => confirmed(question, has("yes"), terminal);
      return run({ args, shell, terminal, text, has, confirm });
    }),
});

async function confirmed(question: string, isConfirmed: boolean, { ask }: Terminal): Promise<void> {
  if (isConfirmed) return;
  if (ask === null)
    throw new SetupError("Add --yes: without a terminal, nobody can be asked. Nothing has been changed.");
  const answer = await ask(`${question} [y/N] `);
  if (!/^\s*y(es)?\s*$/i.test(answer ?? "")) throw new SetupError("Nothing has been changed.");
}

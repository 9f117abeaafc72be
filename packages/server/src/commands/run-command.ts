import { parseArgs } from "node:util";
import { SetupError } from "../config/setting-types.ts";
import type { Command, Option } from "./command.ts";
import { COMMANDS, type CommandGroup, type CommandRow, WORKER } from "./commands.ts";

const PROGRAM: CommandGroup = { summary: "", commands: COMMANDS };

/** A command, or a group of them, that a command line names, and what follows the names. */
interface Found {
  names: string[];
  row: CommandRow | CommandGroup;
  words: readonly string[];
}

const asksForHelp = (word: string | undefined) => ["help", "--help", "-h"].includes(word ?? "");

/** Runs the command that a command line names; without a name, the first one. Returns the exit code; undefined if the process goes on. */
export async function runCommand(
  line: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number | undefined> {
  const [first = "", ...rest] = line;
  if (asksForHelp(first)) return print(await helpOf(find(rest)));
  if (["--version", "-v"].includes(first)) return runCommand(["version"], environment);
  const isNamed = first !== "" && !first.startsWith("-");
  const found = find(isNamed ? line : [Object.keys(COMMANDS)[0] as string, ...line]);
  const { names, row, words } = found;
  if ("commands" in row) {
    if (asksForHelp(words[0])) return print(await helpOf(find([...names, ...words.slice(1)])));
    throw new SetupError(await helpOf(found));
  }
  if (words.includes("--help") || words.includes("-h")) return print(await helpOf(found));
  const command = await row.load();
  const { positionals: args, values: options } = parse(names, command, words);
  return (await command.run({ args, options, environment })) ?? undefined;
}

/** Finds the command that the first words of a line name, or the group if the next word is none of its commands. */
function find(line: readonly string[]): Found {
  let found: Found = { names: [], row: PROGRAM, words: line };
  while ("commands" in found.row) {
    const { names, row, words } = found;
    const [name, ...rest] = words;
    if (name === undefined || name.startsWith("-") || (names.length > 0 && asksForHelp(name))) break;
    found = { names: [...names, name], row: rowOf(name, row, names), words: rest };
  }
  return found;
}

function rowOf(name: string, { commands }: CommandGroup, names: string[]): CommandRow | CommandGroup {
  if (names.length === 0 && name === "worker" && process.send !== undefined) return WORKER;
  const row = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (row !== undefined) return row;
  throw new SetupError(
    `There is no command \`${[...names, name].join(" ")}\`. The commands are: ${Object.keys(commands).join(", ")}.`,
  );
}

/**
 * Parses what follows the name of a command. Throws a `SetupError` for an unknown option, for a required one that is missing, and for more or
 * fewer arguments.
 */
function parse(names: string[], command: Command, words: readonly string[]) {
  const { args = [], options = {} } = command;
  try {
    const parsed = parseArgs({ args: [...words], options, allowPositionals: true });
    const given = parsed.positionals.length;
    const lacks = Object.keys(options).some((each) => options[each]?.required && !(each in parsed.values));
    if (!lacks && given <= args.length && given >= args.filter((name) => !name.startsWith("[")).length)
      return parsed;
  } catch (error) {
    const [message] = (error as Error).message.split(".");
    throw new SetupError(`${message}. See \`easel-server ${names.join(" ")} --help\`.`);
  }
  throw new SetupError(`Usage: ${usageOf(names, command)}`);
}

/** Returns how a command is written, such as `easel-server copy [--to URL]`. */
function usageOf(names: string[], { args = [], options = {} }: Command): string {
  const given = Object.entries(options).map(([name, option]) =>
    option.required ? optionOf(name, option) : `[${optionOf(name, option)}]`,
  );
  return ["easel-server", ...names, ...args, ...given].join(" ");
}

const optionOf = (name: string, { value }: Option) =>
  value === undefined ? `--${name}` : `--${name} ${value}`;

/** Returns the help of a command, or of a group. Only the command itself is loaded. */
async function helpOf({ names, row }: Found): Promise<string> {
  if ("commands" in row) return helpOfGroup(names, row);
  const command = await row.load();
  const options = Object.entries(command.options ?? {}).map(
    ([name, option]) => `  ${optionOf(name, option).padEnd(22)}${option.meaning}`,
  );
  return [
    `Usage: ${usageOf(names, command)}`,
    "",
    row.summary,
    ...(options.length > 0 ? ["", ...options] : []),
  ].join("\n");
}

function helpOfGroup(names: string[], { summary, commands }: CommandGroup): string {
  const name = ["easel-server", ...names].join(" ");
  const lines = Object.entries(commands).map(([each, row]) => `  ${each.padEnd(12)}${row.summary}`);
  return [
    `Usage: ${name} ${names.length === 0 ? "[COMMAND]" : "COMMAND"}`,
    ...(summary === "" ? [] : ["", summary]),
    "",
    ...lines,
    "",
    `\`${name} COMMAND --help\` has the options of a command. The settings are environment variables, or lines of the file .env in the`,
    "working directory: see docs/settings.md.",
  ].join("\n");
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

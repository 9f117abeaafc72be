import { parseArgs } from "node:util";
import { SetupError } from "../config/setting-types.ts";
import type { Command } from "./command.ts";
import { COMMANDS, loadWorker } from "./commands.ts";

/** Runs the command that a command line names; without a name, the first one. Returns the exit code; undefined if the process goes on. */
export async function runCommand(
  line: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number | undefined> {
  const [first = "", ...rest] = line;
  if (["help", "--help", "-h"].includes(first)) return print(await helpOf(rest[0]));
  if (["--version", "-v"].includes(first)) return runCommand(["version"], environment);
  const isNamed = first !== "" && !first.startsWith("-");
  const name = isNamed ? first : (Object.keys(COMMANDS)[0] as string);
  const load = loaderOf(name);
  const words = isNamed ? rest : line;
  if (words.includes("--help") || words.includes("-h")) return print(await helpOf(name));
  const command = await load();
  const { positionals: args, values: options } = parse(name, command, words);
  return (await command.run({ args, options, environment })) ?? undefined;
}

function loaderOf(name: string): () => Promise<Command> {
  if (name === "worker" && process.send !== undefined) return loadWorker;
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load !== undefined) return load;
  throw new SetupError(
    `There is no command \`${name}\`. The commands are: ${Object.keys(COMMANDS).join(", ")}.`,
  );
}

/** Parses what follows the name of a command. Throws a `SetupError` for an unknown option, and for more or fewer arguments. */
function parse(name: string, { args = [], options = {} }: Command, words: readonly string[]) {
  try {
    const parsed = parseArgs({ args: [...words], options, allowPositionals: true });
    const given = parsed.positionals.length;
    if (given <= args.length && given >= args.filter((name) => !name.startsWith("[")).length) return parsed;
  } catch (error) {
    throw new SetupError(`${(error as Error).message.split(".")[0]}. See \`easel-server ${name} --help\`.`);
  }
  throw new SetupError(`Usage: ${usageOf(name, { args, options })}`);
}

/** Returns how a command is written, such as `easel-server copy [--to URL]`. */
function usageOf(name: string, { args = [], options = {} }: Pick<Command, "args" | "options">): string {
  const given = Object.entries(options).map(([each, { value }]) => `[${optionOf(each, value)}]`);
  return ["easel-server", name, ...args, ...given].join(" ");
}

const optionOf = (name: string, value: string | undefined) =>
  value === undefined ? `--${name}` : `--${name} ${value}`;

/** Returns the help of one command, or of all. */
async function helpOf(name: string | undefined): Promise<string> {
  if (name !== undefined) {
    const command = await loaderOf(name)();
    const options = Object.entries(command.options ?? {}).map(
      ([each, { value, meaning }]) => `  ${optionOf(each, value).padEnd(22)}${meaning}`,
    );
    return [
      `Usage: ${usageOf(name, command)}`,
      "",
      command.summary,
      ...(options.length > 0 ? ["", ...options] : []),
    ].join("\n");
  }
  const lines = await Promise.all(
    Object.entries(COMMANDS).map(async ([each, load]) => `  ${each.padEnd(10)}${(await load()).summary}`),
  );
  return [
    "Usage: easel-server [COMMAND]",
    "",
    ...lines,
    "",
    "`easel-server COMMAND --help` has the options of a command. The settings are environment variables, or lines of the file .env in the",
    "working directory: see docs/settings.md.",
  ].join("\n");
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

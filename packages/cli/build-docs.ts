import { writeFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { code, fillTemplate, table } from "@easel/server/build/markdown";
import type { Command } from "commander";
import { EXIT, EXIT_MEANINGS, type Exit } from "./src/exit.ts";
import { createProgram } from "./src/program.ts";
import { createTerminal } from "./src/terminal/terminal.ts";

const PAGE = path.join(import.meta.dirname, "../../docs/cli.md");
const TEMPLATE = path.join(import.meta.dirname, "cli-page.md");

/** Creates the program of `easel` to read its commands. Its output is discarded. */
function programToRead(): Command {
  const signal = new AbortController().signal;
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const env = { NO_COLOR: "1" };
  const terminal = createTerminal(streams, { env, signal });
  return createProgram("0.0.0", { env, cwd: "/", terminal, signal });
}

/** Returns the examples at the end of the help of a command. */
function examplesOf(command: Command): string {
  let help = "";
  command.configureOutput({ writeOut: (part) => (help += part) }).outputHelp();
  const [, examples = ""] = help.split("\nExamples:\n");
  return examples.replaceAll(/^ {2}/gm, "").trimEnd();
}

/** Returns the commands without subcommands, each with its full name, such as `easel data get`. */
function leaves(command: Command, words: string): [string, Command][] {
  if (command.commands.length === 0) return [[words, command]];
  return command.commands.flatMap((each) => leaves(each, `${words} ${each.name()}`));
}

/** Returns the section of a command in Markdown: what it does, its arguments and options, and its examples. */
function describe(words: string, command: Command): string {
  const args = command.registeredArguments.map((argument) => {
    const text = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return argument.required ? `<${text}>` : `[${text}]`;
  });
  const help = command.createHelp();
  const own = command.options.filter(({ hidden }) => !hidden);
  const rows = [
    ...help.visibleArguments(command).map((each) => [code(each.name()), help.argumentDescription(each)]),
    ...own.map((option) => [code(option.flags), help.optionDescription(option)]),
  ];
  const aliases = command.aliases().map((alias) => code(`easel ${alias}`));
  const also = aliases.length > 0 ? ` Also ${aliases.join(", ")}.` : "";
  const examples = examplesOf(command);
  return [
    `### ${words}`,
    `${code([words, ...args].join(" "))}: ${command.description()}${also}`,
    rows.length > 0 ? table(["Argument or option", "Meaning"], rows) : "",
    examples === "" ? "" : `\`\`\`text\n${examples}\n\`\`\``,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const INSERTS = {
  /** A section for each command, in the order of the help. */
  commands: () =>
    programToRead()
      .commands.flatMap((command) => leaves(command, `easel ${command.name()}`))
      .map(([words, command]) => describe(words, command))
      .join("\n\n"),
  /** A table of the commands, grouped by the headings of the help. */
  overview: () => {
    const groups = Map.groupBy(programToRead().commands, (command) => command.helpGroup() || "Commands:");
    const link = (command: Command) =>
      leaves(command, `easel ${command.name()}`)
        .map(([words]) => `[${code(words.replace("easel ", ""))}](#${words.replaceAll(" ", "-")})`)
        .join(", ");
    const rows = [...groups].map(([heading, commands]) => [
      heading.replace(/:$/, ""),
      commands.map(link).join(", "),
    ]);
    return table(["Task", "Commands"], rows);
  },
  exitCodes: () =>
    table(
      ["Code", "Meaning"],
      Object.entries(EXIT).map(([name, number]) => [String(number), EXIT_MEANINGS[name as Exit]]),
    ),
};

/** Returns the text of `docs/cli.md`. */
export const printCliPage = (): string => fillTemplate(TEMPLATE, INSERTS);

if (import.meta.main) writeFileSync(PAGE, printCliPage());

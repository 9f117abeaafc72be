import { Command } from "commander";
import { capabilities } from "./commands/capabilities.ts";
import { completion } from "./commands/completion.ts";
import { data } from "./commands/data.ts";
import { deleteCommand } from "./commands/delete.ts";
import { deploy } from "./commands/deploy.ts";
import { dev } from "./commands/dev.ts";
import { doctor } from "./commands/doctor.ts";
import { explain } from "./commands/explain.ts";
import { init } from "./commands/init.ts";
import { list } from "./commands/list.ts";
import { login } from "./commands/login.ts";
import { logout } from "./commands/logout.ts";
import { logs } from "./commands/logs.ts";
import { open } from "./commands/open.ts";
import { password } from "./commands/password.ts";
import { pull } from "./commands/pull.ts";
import { restore } from "./commands/restore.ts";
import { rollback } from "./commands/rollback.ts";
import { share } from "./commands/share.ts";
import { types } from "./commands/types.ts";
import { versions } from "./commands/versions.ts";
import { whoami } from "./commands/whoami.ts";
import type { Context } from "./context.ts";
import { EXIT, EXIT_MEANINGS, type Exit } from "./exit.ts";

/** Creates a command of `easel`. Its action loads the module that does the work, so that other commands start without it. */
type CreateCommand = (context: Context) => Command;

/** The commands, in the order in which the help lists them, grouped by their headings. */
const COMMANDS: Record<string, CreateCommand[]> = {
  Develop: [init, dev, types],
  Publish: [deploy, pull, versions, rollback, open],
  "Your canvases": [list, share, explain, capabilities, password, data, logs, deleteCommand, restore],
  Account: [login, logout, whoami],
  Help: [doctor, completion],
};

const EXAMPLES = `
Examples:
  easel login https://easel.example.com   sign in
  easel init                              make a new canvas in this folder
  easel dev                               serve it, reload it on every save
  easel deploy                            publish it

Exit codes:
${Object.entries(EXIT)
  .map(([name, code]) => `  ${String(code).padEnd(4)} ${EXIT_MEANINGS[name as Exit]}`)
  .join("\n")}`;

/** Gives a command and its subcommands the settings of `parent`, such as where output goes. */
function inherit(command: Command, parent: Command): Command {
  for (const each of command.commands) inherit(each, parent);
  command.copyInheritedSettings(parent);
  return command.options.some(({ long }) => long === "--canvas") ? explainCanvas(command) : command;
}

/** Tells people who name the canvas as an argument, as in `easel share lunch`, that an option names it. */
function explainCanvas(command: Command): Command {
  return command.configureOutput({
    outputError: (text, write) =>
      write(/^error: too many arguments/.test(text) ? `${text}The canvas is an option: -c SLUG.\n` : text),
  });
}

/** Creates the command line `easel`, whose output goes to the terminal of the context. */
export function createProgram(version: string, context: Context): Command {
  const { terminal } = context;
  const program = new Command("easel")
    .description("Develops, deploys and manages small web apps on Easel.")
    .version(version, "-v, --version", "print the version")
    .addHelpText("after", EXAMPLES)
    .showHelpAfterError("Run `easel help` or `easel COMMAND --help`.")
    .configureOutput({
      writeOut: (text) => terminal.print(text),
      writeErr: (text) => terminal.say(text.replace(/\n$/, "")),
    })
    .exitOverride();
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(`${heading}:`);
    for (const create of commands) program.addCommand(inherit(create(context), program));
  }
  // In the last group, beside `doctor`.
  program.helpCommand("help [command...]", "Describes a command.");
  program.hook("preAction", (_, command) => {
    terminal.json = command.opts().json === true;
  });
  return program;
}

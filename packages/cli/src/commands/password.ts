import { Command, Option } from "commander";
import type { Context } from "../context.ts";
import { canvasOption, jsonOption, urlOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel password                                set one: you are asked twice
  pass show team-list | easel password --stdin  set it from another program
  easel password --clear                        remove it`;

/** The command `easel password`. */
export const password = (context: Context): Command =>
  new Command("password")
    .description("Sets or removes the password that visitors of a canvas must enter: 8 to 200 characters.")
    .option("--set", "set a password, which is the default")
    .addOption(new Option("--clear", "remove the password").conflicts(["set", "stdin"]))
    .option("--stdin", "read the new password from stdin")
    .addOption(canvasOption())
    .addOption(urlOption())
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (options) => (await import("../canvas/password.ts")).setPassword(options, context));

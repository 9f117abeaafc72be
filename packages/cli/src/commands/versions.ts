import { Command } from "commander";
import type { Context } from "../context.ts";
import { canvasOption, jsonOption, urlOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel versions                        those of the working directory's canvas
  easel versions -c team-list --json    those of another one, for scripts`;

/** The command `easel versions`. */
export const versions = (context: Context): Command =>
  new Command("versions")
    .description("Lists the versions of a canvas, newest first. An asterisk marks the published one.")
    .addOption(canvasOption())
    .addOption(urlOption())
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (options) => (await import("../canvas/versions.ts")).versions(options, context));

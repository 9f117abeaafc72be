import { Command } from "commander";
import type { Context } from "../context.ts";
import { canvasOption, jsonOption, urlOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel open                 open the working directory's canvas
  easel open -c team-list    open another one`;

/** The command `easel open`. */
export const open = (context: Context): Command =>
  new Command("open")
    .description("Opens a canvas in the browser, and prints its address.")
    .option("--no-browser", "print the address only")
    .addOption(canvasOption())
    .addOption(urlOption())
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (options) => (await import("../canvas/open.ts")).openCanvas(options, context));

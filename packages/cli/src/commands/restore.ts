import { Command } from "commander";
import type { Context } from "../context.ts";
import { canvasOption, jsonOption, urlOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel restore                               the working directory's canvas
  easel restore team-list                     another one
  easel restore team-list --slug team-list-2  if its own slug is taken`;

/** The command `easel restore`. */
export const restore = (context: Context): Command =>
  new Command("restore")
    .description("Restores a canvas that you deleted within the last 30 days. Prints the address.")
    .argument("[canvas]", "the slug or the id of the canvas; by default that of the working directory")
    .option("--slug <slug>", "a new slug; by default the former one")
    .addOption(canvasOption())
    .addOption(urlOption())
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (canvas, options) =>
      (await import("../canvas/restore.ts")).restore(canvas, options, context),
    );

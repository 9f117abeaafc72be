import { Command } from "commander";
import type { Context } from "../context.ts";
import { canvasOption, urlOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel types -o easel.d.ts              from easel.json in this folder
  easel types -c team-list > easel.d.ts  from a canvas of the service`;

/** The command `easel types`. */
export const types = (context: Context): Command =>
  new Command("types")
    .description(
      "Prints TypeScript types for the collections, file groups, channels and Connections of a canvas. They extend those of @easel/sdk.",
    )
    .option("-o, --output <file>", "the file to write; by default stdout")
    .addOption(canvasOption("slug or id of a canvas; by default easel.json in the working directory is read"))
    .addOption(urlOption())
    .addHelpText("after", EXAMPLES)
    .action(async (options) => (await import("../types/types.ts")).types(options, context));

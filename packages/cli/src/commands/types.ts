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
      "Prints TypeScript declarations, with which editors know the collections, file groups, channels and Connections of a canvas. They extend the types of the package @easel/sdk.",
    )
    .option("-o, --output <file>", "write them to a file instead")
    .addOption(canvasOption("slug or id of a canvas; by default easel.json of the working directory counts"))
    .addOption(urlOption())
    .addHelpText("after", EXAMPLES)
    .action(async (options) => (await import("../types/types.ts")).types(options, context));

import { Command } from "commander";
import type { Context } from "../context.ts";
import { canvasOption, jsonOption, urlOption, yesOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel delete                     ask for the slug, and delete it
  easel delete -c team-list --yes  ask nothing`;

/** The command `easel delete`. */
export const deleteCommand = (context: Context): Command =>
  new Command("delete")
    .description("Deletes a canvas with its versions and data. It can be restored for 30 days.")
    .addOption(canvasOption())
    .addOption(urlOption())
    .addOption(yesOption())
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (options) => (await import("../canvas/delete.ts")).deleteCanvas(options, context));

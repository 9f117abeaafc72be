import { Command } from "commander";
import type { Context } from "../context.ts";
import { canvasOption, jsonOption, urlOption, yesOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel rollback               publish the version before the published one
  easel rollback 9f3c2a71d0b4  publish this version
  easel rollback --yes         ask nothing`;

/** The command `easel rollback`. */
export const rollback = (context: Context): Command =>
  new Command("rollback")
    .description("Publishes an earlier version of a canvas, or a later one. Prints the address.")
    .argument(
      "[version]",
      "the id of the version, or the end of it; by default the one before the published one",
    )
    .addOption(canvasOption())
    .addOption(urlOption())
    .addOption(yesOption())
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (version, options) =>
      (await import("../canvas/rollback.ts")).rollback(version, options, context),
    );

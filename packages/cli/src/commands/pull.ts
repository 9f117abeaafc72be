import { Command } from "commander";
import type { Context } from "../context.ts";
import { canvasOption, jsonOption, urlOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel pull                                     fetch the published version
  easel pull -c team-list                        fetch it into team-list
  easel pull old -c team-list --at 9f3c2a71d0b4  fetch an earlier version`;

/** The command `easel pull`. */
export const pull = (context: Context): Command =>
  new Command("pull")
    .description("Writes the published files of a canvas to a folder. Overwrites nothing without --force.")
    .argument(
      "[folder]",
      "the folder to write to; by default the working directory, or for another canvas a folder with its slug",
    )
    .option("--at <version>", "the id of another version, or the end of it")
    .option("--force", "overwrite files whose content differs")
    .addOption(canvasOption())
    .addOption(urlOption())
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (folder, options) => (await import("../pull/pull.ts")).pull(folder, options, context));

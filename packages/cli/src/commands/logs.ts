import { Command, Option } from "commander";
import type { Context } from "../context.ts";
import { canvasOption, urlOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel logs                             the newest 100
  easel logs -f                          and then new ones, until Ctrl-C
  easel logs --since 2h                  those of the last two hours
  easel logs --since 1d --json | jq .code`;

/** The command `easel logs`. */
export const logs = (context: Context): Command =>
  new Command("logs")
    .description(
      "Prints the refused and failed calls of the pages of a canvas, and errors of its pages. The service keeps them for 7 days.",
    )
    .option("-f, --follow", "keep printing new calls until Ctrl-C")
    .option("--since <when>", "calls since a date, or within a duration such as 30m, 2h or 3d")
    .addOption(canvasOption())
    .addOption(urlOption())
    .addOption(new Option("--json", "print one JSON object per line"))
    .addHelpText("after", EXAMPLES)
    .action(async (options) => (await import("../canvas/logs.ts")).logs(options, context));

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
      "Prints the calls of a canvas that the service has refused, or that have failed, within 7 days.",
    )
    .option("-f, --follow", "go on with new calls until you press Ctrl-C")
    .option("--since <when>", "those since a time: a duration such as 30m, 2h or 3d, or a date")
    .addOption(canvasOption())
    .addOption(urlOption())
    .addOption(new Option("--json", "print a JSON object a line"))
    .addHelpText("after", EXAMPLES)
    .action(async (options) => (await import("../canvas/logs.ts")).logs(options, context));

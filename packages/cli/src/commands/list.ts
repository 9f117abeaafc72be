import { Command } from "commander";
import type { Context } from "../context.ts";
import { jsonOption, urlOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel list                      all of them, newest first
  easel list --search lunch       those with “lunch” in title or slug
  easel list --deleted            those that \`easel restore\` brings back
  easel list -q | xargs -n1 …     slugs alone, for scripts`;

/** The command `easel list`. */
export const list = (context: Context): Command =>
  new Command("list")
    .alias("ls")
    .description("Lists the canvases that you own or that are shared with you.")
    .option("--search <text>", "only canvases whose title or slug contains the text")
    .option("--deleted", "the deleted canvases that you can restore")
    .option("-q, --quiet", "print the slugs alone")
    .addOption(urlOption())
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (options) => (await import("../canvas/list.ts")).list(options, context));

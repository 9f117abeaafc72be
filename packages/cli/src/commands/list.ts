import { CANVAS_SORTS } from "@easel/protocol/management";
import { Command, Option } from "commander";
import type { Context } from "../context.ts";
import { jsonOption, urlOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel list                      all of them, newest first
  easel list --search lunch       those with “lunch” in title or slug
  easel list --list organisation  those listed for your organisation
  easel list --state draft        those without a version
  easel list --sort used          the one that was opened last first
  easel list --deleted            those that \`easel restore\` brings back
  easel list -q | xargs -n1 …     slugs alone, for scripts`;

/** The command `easel list`. */
export const list = (context: Context): Command =>
  new Command("list")
    .alias("ls")
    .description("Lists the canvases that you own or that are shared with you.")
    .option("--search <text>", "only canvases whose title or slug contains the text")
    .addOption(
      new Option(
        "--list <list>",
        "your own, those shared with you, or those listed for your organisation; by default the first two",
      ).choices(["mine", "shared", "organisation"]),
    )
    .addOption(
      new Option("--state <state>", "only canvases in this state").choices([
        "published",
        "unpublished",
        "draft",
        "expired",
        "archived",
        "disabled",
      ]),
    )
    .option("--tag <tag>", "only canvases with this tag")
    .addOption(
      new Option(
        "--sort <order>",
        "the last use first, the last change first, the newest first, or by title; with --list by default `updated`, otherwise `created`",
      ).choices([...CANVAS_SORTS]),
    )
    .addOption(new Option("--deleted", "the deleted canvases that you can restore").conflicts("list"))
    .option("-q, --quiet", "print the slugs alone")
    .addOption(urlOption())
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (options) => (await import("../canvas/list.ts")).list(options, context));

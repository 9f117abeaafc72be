import { Command, Option } from "commander";
import type { Context } from "../context.ts";
import { canvasOption, jsonOption, urlOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel capabilities                         show what is on, and why not
  easel capabilities --enable ai,realtime    turn AI and realtime on
  easel capabilities --disable backend       turn everything off
  easel capabilities --ai-audience viewers   let everyone who enters use AI`;

const several = (value: string, all: string[] = []) => [...all, ...value.split(",")];

const audience = (flag: string, what: string) =>
  new Option(`--${flag} <who>`, `who may ${what}: the owner and editors, or viewers, too`).choices([
    "editors",
    "viewers",
  ]);

/** The command `easel capabilities`. */
export const capabilities = (context: Context): Command =>
  new Command("capabilities")
    .description("Shows and changes what the page of a canvas can use, and who may use it.")
    .option(
      "--enable <names>",
      "turn capabilities on: kv, files, ai, realtime, authoring, or `backend` for what the others need",
      several,
    )
    .option("--disable <names>", "turn capabilities off; `backend` turns off all", several)
    .addOption(audience("ai-audience", "use AI"))
    .addOption(audience("connections-audience", "call Connections"))
    .addOption(audience("authoring-audience", "publish canvases from the page"))
    .addOption(
      new Option("--guest-ai <state>", "whether guests may use AI; only the owner sets it").choices([
        "on",
        "off",
      ]),
    )
    .addOption(canvasOption())
    .addOption(urlOption())
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (options) => (await import("../canvas/capabilities.ts")).capabilities(options, context));

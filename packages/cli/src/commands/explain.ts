import { Command } from "commander";
import type { Context } from "../context.ts";
import { canvasOption, jsonOption, urlOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel explain ada@example.com            whether Ada gets in, and why
  easel explain guest@example.com --guest  the same of an invited guest
  easel explain --anonymous                of somebody who is not signed in`;

/** The command `easel explain`. */
export const explain = (context: Context): Command =>
  new Command("explain")
    .description("Explains whether a person may open a canvas, why, and what they may do there.")
    .argument("[email]", "the address of the person, who need not have signed in yet")
    .option("--guest", "the address is that of an invited guest")
    .option("--anonymous", "ask about somebody who is not signed in, instead of an address")
    .addOption(canvasOption())
    .addOption(urlOption())
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (email, options) =>
      (await import("../canvas/explain.ts")).explain(email, options, context),
    );

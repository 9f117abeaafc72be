import { Command, Option } from "commander";
import type { Context } from "../context.ts";
import { jsonOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel login https://easel.example.com  opens the browser, where you allow it
  easel login --no-browser               print a code for a browser elsewhere;
                                         without a terminal this is the default
  easel login --scope deploy             a token that can only deploy

In CI nobody signs in: set EASEL_URL and EASEL_TOKEN.`;

/** The command `easel login`. */
export const login = (context: Context): Command =>
  new Command("login")
    .description("Signs you in at a service. A page in the browser asks you first.")
    .argument("[url]", "the service; by default EASEL_URL, that of the folder, or the last sign-in")
    .option("--no-browser", "print an address and a code instead of opening a browser")
    .addOption(
      new Option("--scope <scope>", "what the command line may do")
        .choices(["full", "deploy", "read"])
        .default("full"),
    )
    .option("--canvas <id>", "restrict it to the canvas with this id")
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (url, options) => (await import("../account/login.ts")).login(url, options, context));

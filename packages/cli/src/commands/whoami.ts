import { Command } from "commander";
import type { Context } from "../context.ts";
import { jsonOption, urlOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel whoami                                    who, where, until when
  easel whoami --url https://easel.example.com    at another service`;

/** The command `easel whoami`. */
export const whoami = (context: Context): Command =>
  new Command("whoami")
    .description("Shows who you are, at which service, and what your token may do.")
    .addOption(urlOption())
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (options) => (await import("../account/whoami.ts")).whoami(options, context));

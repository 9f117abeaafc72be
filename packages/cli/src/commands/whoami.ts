import { Command } from "commander";
import type { Context } from "../context.ts";
import { jsonOption, urlOption } from "./options.ts";

/** The command `easel whoami`. */
export const whoami = (context: Context): Command =>
  new Command("whoami")
    .description("Shows who you are, at which service, and what your token may do.")
    .addOption(urlOption())
    .addOption(jsonOption())
    .action(async (options) => (await import("../account/whoami.ts")).whoami(options, context));

import { Command } from "commander";
import type { Context } from "../context.ts";
import { jsonOption, urlOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel doctor                                  check what this folder uses
  easel doctor --url https://easel.example.com  another service
  easel doctor --json                           for a report of a fault`;

/** The command `easel doctor`. */
export const doctor = (context: Context): Command =>
  new Command("doctor")
    .description(
      "Checks this computer, the service, the sign-in and the working directory, and says what to do.",
    )
    .addOption(urlOption())
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (options) => (await import("../doctor/doctor.ts")).doctor(options, context));

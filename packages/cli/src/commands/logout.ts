import { Command } from "commander";
import type { Context } from "../context.ts";
import { jsonOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel logout                            end the sign-in that is in use
  easel logout https://easel.example.com  end another one`;

/** The command `easel logout`. */
export const logout = (context: Context): Command =>
  new Command("logout")
    .description("Signs you out of a service: the token ends there and is removed here.")
    .argument("[url]", "the service; by default EASEL_URL, that of the folder, or the last sign-in")
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (url) => (await import("../account/logout.ts")).logout(url, context));

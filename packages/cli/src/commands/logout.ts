import { Command } from "commander";
import type { Context } from "../context.ts";
import { jsonOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel logout                            the service of the last sign-in
  easel logout https://easel.example.com  another one`;

/** The command `easel logout`. */
export const logout = (context: Context): Command =>
  new Command("logout")
    .description("Signs you out of a service: the token ends there and is removed here.")
    .argument("[url]", "the service; by default that of the folder, or the last sign-in")
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (url) => (await import("../account/logout.ts")).logout(url, context));

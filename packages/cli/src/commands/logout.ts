import { Command } from "commander";
import type { Context } from "../context.ts";
import { jsonOption } from "./options.ts";

/** The command `easel logout`. */
export const logout = (context: Context): Command =>
  new Command("logout")
    .description("Signs you out of a service: the token ends there and is removed here.")
    .argument("[url]", "the service; by default that of the folder, or the last sign-in")
    .addOption(jsonOption())
    .action(async (url) => (await import("../account/logout.ts")).logout(url, context));

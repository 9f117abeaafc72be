import { Command, Option } from "commander";
import type { Context } from "../context.ts";
import { canvasOption, jsonOption, urlOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel share                                    show who may open the canvas
  easel share --add ada@example.com:editor       let Ada edit
  easel share --add bob@example.com              let Bob view
  easel share --remove bob@example.com           take that back
  easel share --access public_link --expires 7d  let everyone in for 7 days
  easel share --invite guest@example.com         make a link for a guest`;

const several = (value: string, all: string[] = []) => [...all, value];

/** The command `easel share`. */
export const share = (context: Context): Command =>
  new Command("share")
    .description("Shows and changes who may open a canvas.")
    .addOption(
      new Option(
        "--access <who>",
        "who may enter besides the people of the list: nobody (private), everyone who can sign in (whole_org), everyone with the address (public_link; its backend works for the owner and editors only)",
      ).choices(["private", "whole_org", "public_link"]),
    )
    .option("--unlisted", "take the canvas off the home pages of others; --access whole_org lists it")
    .option(
      "--add <email[:role]>",
      "add a viewer, or an editor with `:editor`, or change the role; may be repeated",
      several,
    )
    .option("--remove <email>", "remove a person or a guest; may be repeated", several)
    .option(
      "--expires <when>",
      "end the access at a date, or after a duration such as 7d; `never` removes the end",
    )
    .option("--invite <email>", "invite a guest, and print the link for them; may be repeated", several)
    .addOption(canvasOption())
    .addOption(urlOption())
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (options) => (await import("../canvas/share.ts")).share(options, context));

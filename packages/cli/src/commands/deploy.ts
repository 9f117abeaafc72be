import { Command, Option } from "commander";
import type { Context } from "../context.ts";
import { jsonOption, urlOption, yesOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel deploy                            publish the working directory
  easel deploy dist --slug team-list      publish a build as team-list
  easel deploy --dry-run                  show what would be sent
  easel deploy --release "$GITHUB_SHA"    publish a commit, unless it is live
  easel deploy --no-publish               only store, and print a preview link
  EASEL_URL=… EASEL_TOKEN=… easel deploy  in CI: nothing is asked`;

/** The command `easel deploy`. */
export const deploy = (context: Context): Command =>
  new Command("deploy")
    .description("Publishes a folder as a canvas. Sends only the files that changed, and prints the address.")
    .argument("[folder]", "the folder with index.html", ".")
    .option(
      "--slug <slug>",
      "the name of the canvas in its address; by default that of easel.json or the folder",
    )
    .addOption(
      new Option(
        "--access <who>",
        "who may enter a new canvas, as for `easel share`; by default you are asked",
      ).choices(["private", "whole_org", "public_link"]),
    )
    .option("--unlisted", "keep the canvas off the home pages of others, though everyone may enter")
    .option("-m, --message <text>", "what has changed, for the list of versions")
    .option(
      "--release <id>",
      "what this content is called, such as a commit; nothing is published if it is live already",
    )
    .option(
      "--no-publish",
      "only store the version, and print a link that shows it to you once; `easel rollback` publishes it",
    )
    .option("--dry-run", "show what would be sent and what is left out, and publish nothing")
    .option(
      "--force",
      "publish even if someone else has deployed since, or if the folder is not known for the canvas",
    )
    .option("--enable", "turn on the capabilities that easel.json lists")
    .addOption(urlOption())
    .addOption(yesOption("ask nothing: --access is private by default, and --enable applies"))
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (folder, options) =>
      (await import("../deploy/deploy.ts")).deploy(folder, options, context),
    );

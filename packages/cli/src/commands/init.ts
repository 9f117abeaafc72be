import { Command, Option } from "commander";
import type { Context } from "../context.ts";
import { TEMPLATES } from "../init/template-names.ts";
import { jsonOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel init                                ask for template and name
  easel init lunch --template board         a copy of the board in a new folder
  easel init lunch --name "Who eats where"  the minimal page, with this title
  easel init --list                         show the templates`;

/** The command `easel init`. */
export const init = (context: Context): Command =>
  new Command("init")
    .description("Makes a new canvas folder from a template, and prints its path.")
    .argument("[folder]", "the folder, which is made if it is missing", ".")
    .addOption(
      new Option(
        "-t, --template <template>",
        "the template; by default you are asked, in scripts minimal",
      ).choices(TEMPLATES),
    )
    .option("-n, --name <name>", "the title; by default you are asked, in scripts the name of the folder")
    .option("--force", "replace files that exist")
    .option("--list", "show the templates, and write nothing")
    .addOption(jsonOption())
    .addHelpText("after", EXAMPLES)
    .action(async (folder, options) => (await import("../init/init.ts")).init(folder, options, context));

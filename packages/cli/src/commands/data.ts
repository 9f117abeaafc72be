import { Command, Option } from "commander";
import type { Context } from "../context.ts";
import { canvasOption, jsonOption, urlOption, yesOption } from "./options.ts";

const EXAMPLES = `
Examples:
  easel data ls                                    how much data there is
  easel data get greeting                          the value of a shared key
  easel data set greeting '"Hello"'                a JSON value
  easel data set --collection ideas '{"title":1}'  a new record
  easel data rm --collection ideas ID
  easel data export                                what you may read, as a zip
  easel data export --collection ideas --format csv > ideas.csv
  easel data import ideas.csv --collection ideas`;

const CSV_HELP = `
In CSV, the fields of a value are columns such as value.title, and cells are
JSON where they can be read as JSON. A text that a spreadsheet would evaluate,
such as =1+1, gets an apostrophe in front, which the import removes.`;

const IMPORT_HELP = `
You become the author of records and files. Submissions of other people are left
out. An import that broke off can be repeated. Lines of JSON or CSV are as
\`easel data export\` writes them; a line of a collection without id becomes a
new record.`;

/** Adds the flags that name the canvas, the service and the output format. */
const common = (command: Command): Command =>
  command.addOption(canvasOption()).addOption(urlOption()).addOption(jsonOption());

/** Adds the flags that name what a command reads or writes. */
const targeted = (command: Command): Command =>
  command
    .option("--user", "your own keys")
    .option("--collection <name>", "the records of a collection")
    .option("--submissions <name>", "the submissions of a collection");

/** The command `easel data`, with a command for each operation. */
export const data = (context: Context): Command => {
  const entries = () => import("../canvas-data/entries.ts");
  const create = (name: string, description: string) => new Command(name).description(description);
  const kv = () => new Option("--kv", "the shared keys");
  const files = () => new Option("--files", "the uploaded files");
  return new Command("data")
    .description("Lists, reads, writes, exports and imports the data of a canvas.")
    .addHelpText("after", EXAMPLES)
    .addCommand(
      common(targeted(create("ls", "Shows how much data there is; with a flag, the entries.")))
        .addOption(kv())
        .addOption(files())
        .option("--prefix <text>", "only keys that begin with the text")
        .action(async (options) => (await import("../canvas-data/list-data.ts")).listData(options, context)),
    )
    .addCommand(
      common(targeted(create("get", "Prints the value of a key, record or submission.")))
        .argument("<key>", "the key, or the id of a record, person or file")
        .addOption(files())
        .option("--string", "print a text without quotes")
        .action(async (id, options) => (await entries()).getEntry(id, options, context)),
    )
    .addCommand(
      common(
        targeted(
          create("set", "Sets a key or a record. With --collection and a value alone, creates a record."),
        ),
      )
        .argument("<key>", "the key or the id of a record")
        .argument("[value]", "JSON; - reads it from stdin")
        .option("--string", "store the text itself")
        .action(async (id, value, options) => (await entries()).setEntry(id, value, options, context)),
    )
    .addCommand(
      common(targeted(create("rm", "Removes keys, records, submissions or files.")))
        .argument("[keys...]", "keys, or ids of records, people or files")
        .addOption(files())
        .option("--all", "remove all that you may read")
        .option("--prefix <text>", "remove the keys that begin with the text")
        .addOption(yesOption())
        .action(async (ids, options) => (await entries()).removeEntries(ids, options, context)),
    )
    .addCommand(
      common(targeted(create("export", "Exports the data that you may read, as a zip, JSON lines or CSV.")))
        .option("--what <parts>", "for the zip: kv, collections, submissions, files; by default all")
        .addOption(kv())
        .addOption(
          new Option("--format <format>", "the format of a collection or scope").choices(["jsonl", "csv"]),
        )
        .option("-o, --output <file>", "the file to write; - is stdout")
        .addHelpText("after", CSV_HELP)
        .action(async (options) =>
          (await import("../canvas-data/export-data.ts")).exportData(options, context),
        ),
    )
    .addCommand(
      common(targeted(create("import", "Imports a zip of an export, or JSON lines or CSV.")))
        .argument("<file>", "a file that ends in .zip, .jsonl or .csv")
        .addOption(kv())
        .addOption(
          new Option("--existing <what>", "what happens to entries that exist already")
            .choices(["keep", "replace"])
            .default("keep"),
        )
        .option("--dry-run", "show what would be imported, and change nothing")
        .addOption(yesOption())
        .addHelpText("after", IMPORT_HELP)
        .action(async (file, options) =>
          (await import("../canvas-data/import-file.ts")).importFile(file, options, context),
        ),
    );
};

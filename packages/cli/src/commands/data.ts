import { Command, Option } from "commander";
import type { Context } from "../context.ts";
import { canvasOption, jsonOption, urlOption, yesOption } from "./options.ts";

/** The examples of each command. Those of the group have the first of each. */
const EXAMPLES: Record<string, string[]> = {
  ls: [
    "easel data ls                                    how much data there is",
    "easel data ls --kv                               the shared keys",
    "easel data ls --collection ideas                 the records of a collection",
  ],
  get: [
    "easel data get greeting                          the value of a shared key",
    "easel data get --collection ideas ID             the value of a record",
  ],
  set: [
    "easel data set greeting '\"Hello\"'                a JSON value",
    "easel data set greeting Hello --string           the same",
    "easel data set --collection ideas '{\"title\":1}'  a new record",
    "easel data set --collection ideas ID '{}'        another value for a record",
  ],
  rm: [
    "easel data rm greeting                           a shared key",
    "easel data rm --prefix draft:                    the keys that begin with it",
    "easel data rm --collection ideas ID              a record",
    "easel data rm --collection ideas --all           all records of a collection",
  ],
  export: [
    "easel data export                                all parts, as a zip",
    "easel data export --what kv,collections -o ../backup.zip",
    "easel data export --collection ideas --format csv > ../ideas.csv",
  ],
  import: [
    "easel data import ../backup.zip                  all parts of a zip",
    "easel data import ../ideas.csv --collection ideas",
  ],
};

const examples = (lines: string[]) => `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`;
const GROUP_EXAMPLES = examples(Object.values(EXAMPLES).flatMap((lines) => lines.slice(0, 1)));

const EXPORT_HELP = `
In a folder that was deployed, SLUG-data-TIME.zip is written to the subfolder
.easel, because the next deploy would publish it.
In CSV, the fields of a value are columns such as value.title, and cells are
JSON where they can be read as JSON. A text that a spreadsheet would evaluate,
such as =1+1, gets an apostrophe in front, also after characters that separate
cells, such as a semicolon. The import removes it.`;

const IMPORT_HELP = `
You become the author of records and files. Submissions of other people are left
out. An import that failed can be repeated. Lines of JSON or CSV are as
\`easel data export\` writes them; a line of a collection without id becomes a
new record.`;

/** Adds the flags that name the canvas, the service and the output format. */
const common = (command: Command): Command =>
  command.addOption(canvasOption()).addOption(urlOption()).addOption(jsonOption());

const kv = () => new Option("--kv", "the shared keys");
const user = () => new Option("--user", "your own keys");
const collection = () => new Option("--collection <name>", "the records of a collection");
const submissions = () => new Option("--submissions <name>", "the submissions of a collection");
const files = () => new Option("--files", "the uploaded files");

/** The command `easel data`, with a command for each operation. */
export const data = (context: Context): Command => {
  const entries = () => import("../canvas-data/entries.ts");
  /** Creates a command with the flags that name a part of the data. */
  const create = (name: string, description: string, parts: Option[]) => {
    const command = new Command(name).description(description);
    for (const part of parts) command.addOption(part);
    return command.addHelpText("after", examples(EXAMPLES[name] ?? []));
  };
  return new Command("data")
    .description("Lists, reads, writes, exports and imports the data of a canvas.")
    .addHelpText("after", GROUP_EXAMPLES)
    .addCommand(
      common(
        create("ls", "Shows how much data there is, or lists the entries of one part.", [
          kv(),
          user(),
          collection(),
          submissions(),
          files(),
        ]).option("--prefix <text>", "only keys that begin with the text"),
      ).action(async (options) => (await import("../canvas-data/list-data.ts")).listData(options, context)),
    )
    .addCommand(
      common(
        create("get", "Prints the value of a shared key, or of an entry of another part.", [
          user(),
          collection(),
          submissions(),
          files(),
        ])
          .argument("<key>", "the key, or the id of a record, a file or the person of a submission")
          .option("--string", "print a string without quotes"),
      ).action(async (id, options) => (await entries()).getEntry(id, options, context)),
    )
    .addCommand(
      common(
        create("set", "Sets a shared key, one of your own keys or a record, or creates a record.", [
          user(),
          collection(),
        ])
          .argument("<key>", "the key, or the id of a record; left out to create a record")
          .argument("[value]", "the value as JSON; - reads it from stdin")
          .option("--string", "take the value as a string, not as JSON"),
      ).action(async (id, value, options) => (await entries()).setEntry(id, value, options, context)),
    )
    .addCommand(
      common(
        create("rm", "Removes shared keys, or entries of another part.", [
          user(),
          collection(),
          submissions(),
          files(),
        ])
          .argument("[keys...]", "keys, or ids of records, files or the people of submissions")
          .option("--all", "remove all entries of the part that you may read")
          .option("--prefix <text>", "remove the keys that begin with the text"),
      )
        .addOption(yesOption())
        .action(async (ids, options) => (await entries()).removeEntries(ids, options, context)),
    )
    .addCommand(
      common(
        create(
          "export",
          "Exports the data that you may read: all parts as a zip, or one part as JSON lines or CSV.",
          [kv(), user(), collection(), submissions()],
        )
          .option(
            "--what <parts>",
            "the parts of the zip, such as kv,files: kv, collections, submissions, files; by default all",
          )
          .addOption(
            new Option("--format <format>", "the format of one part; by default jsonl").choices([
              "jsonl",
              "csv",
            ]),
          )
          .option(
            "-o, --output <file>",
            "the file, or - for stdout; by default SLUG-data-TIME.zip, stdout for one part",
          )
          .option("--force", "replace the file if it exists"),
      )
        .addHelpText("after", EXPORT_HELP)
        .action(async (options) =>
          (await import("../canvas-data/export-data.ts")).exportData(options, context),
        ),
    )
    .addCommand(
      common(
        create("import", "Imports the zip of an export, or JSON lines or CSV into one part.", [
          kv(),
          user(),
          collection(),
          submissions(),
        ])
          .argument("<file>", "a file that ends in .zip, .jsonl or .csv")
          .addOption(
            new Option("--existing <what>", "what happens to entries that exist already")
              .choices(["keep", "replace"])
              .default("keep"),
          )
          .option("--dry-run", "show what would be imported, and change nothing"),
      )
        .addOption(yesOption())
        .addHelpText("after", IMPORT_HELP)
        .action(async (file, options) =>
          (await import("../canvas-data/import-file.ts")).importFile(file, options, context),
        ),
    );
};

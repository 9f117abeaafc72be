import { Command, InvalidArgumentError, Option } from "commander";
import type { Context } from "../context.ts";
import { requireSqlite } from "../dev/require-sqlite.ts";

const EXAMPLES = `
Examples:
  easel dev                                serve the working directory
  easel dev --open                         and open it in the browser
  easel dev --throw-away                   begin without data, and keep none
  easel dev --proxy http://localhost:5173  show the page of Vite`;

function toPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535)
    throw new InvalidArgumentError("A port is a number from 1 to 65535.");
  return port;
}

/** The command `easel dev`. */
export const dev = (context: Context): Command =>
  new Command("dev")
    .description(
      "Serves a folder as a canvas on this computer, with its whole backend, and reloads it on every save.",
    )
    .argument("[folder]", "the folder with index.html", ".")
    .addOption(
      new Option("-p, --port <port>", "the port; by default the first free one from 4321 on").argParser(
        toPort,
      ),
    )
    .addOption(
      new Option("--host <address>", "the loopback address to listen on")
        .choices(["127.0.0.1", "::1", "localhost"])
        .default("127.0.0.1"),
    )
    .option("--proxy <origin>", "show the page of this dev server instead of the files of the folder")
    .option("--open", "open the page in the browser")
    .option("--throw-away", "begin without data and keep none; by default it is in .easel/dev of the folder")
    .addHelpText("after", EXAMPLES)
    .action(async (folder, options) => {
      requireSqlite();
      await (await import("../dev/dev.ts")).dev(folder, options, context);
    });

import { restoreBackup } from "../backup/restore-backup.ts";
import { command } from "./command.ts";

export const restore = command({
  args: ["DIR", "[NAME]"],
  options: {
    replace: {
      type: "boolean",
      meaning: "Replaces a PostgreSQL database that has tables, which are kept in a schema of their own.",
    },
  },
  async run({ args: [directory = "", name], options: { replace }, environment }) {
    const print = (line: string) => void process.stdout.write(`${line}\n`);
    await restoreBackup(environment, directory, { name, replace: replace === true, print });
  },
});

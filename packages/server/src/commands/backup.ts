import { takeBackup } from "../backup/take-backup.ts";
import { SetupError } from "../config/setting-types.ts";
import { command } from "./command.ts";

export const backup = command({
  args: ["DIR"],
  options: {
    keep: {
      type: "string",
      value: "N",
      meaning: "Keeps the newest N backups in the folder, and removes the others.",
    },
  },
  async run({ args: [directory = ""], options: { keep }, environment }) {
    await takeBackup(environment, directory, {
      keep: numberOf(keep),
      print: (line) => void process.stdout.write(`${line}\n`),
    });
  },
});

function numberOf(keep: string | boolean | undefined): number | undefined {
  if (keep === undefined) return undefined;
  if (!/^[1-9]\d{0,5}$/.test(String(keep))) throw new SetupError("--keep needs a number from 1.");
  return Number(keep);
}

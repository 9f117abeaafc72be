import { verifyBackup } from "../backup/verify-backup.ts";
import { command } from "./command.ts";

export const verify = command({
  args: ["DIR", "[NAME]"],
  async run({ args: [directory = "", name] }) {
    const print = (line: string) => void process.stdout.write(`${line}\n`);
    const { manifest } = await verifyBackup(directory, name, print);
    print(`It is whole. It has what was stored before ${manifest.takenAt}.`);
  },
});

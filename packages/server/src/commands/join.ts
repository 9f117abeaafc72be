import { joinStores } from "../open-instance.ts";
import { command } from "./command.ts";

export const join = command({
  summary: "Declares that the configured database and blob store belong together.",
  async run({ environment }) {
    process.stdout.write(`${await joinStores(environment)}\n`);
  },
});

import { migrateStores } from "../open-instance.ts";
import { command } from "./command.ts";

export const migrate = command({
  options: { "dry-run": { type: "boolean", meaning: "Prints which there are, and changes nothing." } },
  async run({ options, environment }) {
    process.stdout.write(`${await migrateStores(environment, options["dry-run"] === true)}\n`);
  },
});

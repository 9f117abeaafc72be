import { joinStores } from "../open-instance.ts";
import { command } from "./command.ts";

export const join = command({
  async run({ environment }) {
    process.stdout.write(`${await joinStores(environment)}\n`);
  },
});

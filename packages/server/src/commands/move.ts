import { moveStores } from "../service.ts";
import { command } from "./command.ts";

export const move = command({
  summary: "Moves an SQLite database into the empty PostgreSQL database that the settings name.",
  args: ["FILE"],
  async run({ args: [file = ""], environment }) {
    process.stdout.write(`${await moveStores(environment, file)}\n`);
  },
});

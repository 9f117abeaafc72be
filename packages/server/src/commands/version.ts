import manifest from "../../package.json" with { type: "json" };
import { command } from "./command.ts";

export const version = command({
  async run() {
    process.stdout.write(`easel-server ${manifest.version}, Node ${process.versions.node}\n`);
  },
});

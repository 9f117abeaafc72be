import manifest from "../../package.json" with { type: "json" };
import { command } from "./command.ts";

export const version = command({
  summary: "Prints the version of the service and of Node.",
  async run() {
    process.stdout.write(`easel-server ${manifest.version}, Node ${process.versions.node}\n`);
  },
});

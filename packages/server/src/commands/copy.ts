import { copyInstance } from "../copy/copy-instance.ts";
import { command } from "./command.ts";

export const copy = command({
  options: {
    to: {
      type: "string",
      value: "URL",
      meaning: "The empty database to copy to: what SERVICE_DATABASE_URL is to be.",
    },
    blobs: {
      type: "string",
      value: "URL",
      meaning: "The empty place to copy blobs to: what SERVICE_BLOBS_URL is to be.",
    },
  },
  async run({ options: { to, blobs }, environment }) {
    const target = { database: to as string | undefined, blobs: blobs as string | undefined };
    await copyInstance(environment, target, { print: (line) => void process.stdout.write(`${line}\n`) });
  },
});

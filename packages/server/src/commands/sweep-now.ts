import { readConfig } from "../config/config.ts";
import { SetupError } from "../config/setting-types.ts";
import { openDb } from "../drivers/index.ts";
import { endHold, heldUntil } from "../instance/sweep-guard.ts";
import { command } from "./command.ts";

export const sweep = command({
  options: {
    now: { type: "boolean", meaning: "Lets the service remove unused blobs again, within the hour." },
  },
  async run({ options: { now }, environment }) {
    const db = await openDb(readConfig(environment), (error) => {
      throw error;
    });
    try {
      const until = await heldUntil({ db, clock: Date.now });
      if (now === true && until !== null) await endHold(db);
      const state =
        until === null || now === true
          ? "Unused blobs are removed every hour."
          : `Unused blobs are kept until ${new Date(until).toISOString()}, because the database was restored. \`easel-server sweep --now\` ends that.`;
      process.stdout.write(`${state}\n`);
    } catch (error) {
      throw new SetupError(`The database cannot be read: ${(error as Error).message}`);
    } finally {
      await db.close();
    }
  },
});

import { readConfig } from "../src/config.ts";
import { openDb } from "../src/drivers/index.ts";
import { dbContract } from "./db-contract.ts";
import { ENGINES } from "./support.ts";

for (const { name, skip, database } of ENGINES) {
  dbContract(name, skip, async (scope) => {
    const config = readConfig({ SERVICE_DATABASE_URL: await database(scope) });
    return () =>
      openDb(config, (error) => {
        throw error;
      });
  });
}

import { readConfig } from "../../src/config/config.ts";
import { openDb } from "../../src/drivers/index.ts";
import { ENGINES } from "../support/service.ts";
import { dbContract } from "./db-contract.ts";

for (const { name, skip, database } of ENGINES) {
  dbContract(name, skip, async (scope) => {
    const config = readConfig({ SERVICE_DATABASE_URL: await database(scope) });
    return () =>
      openDb(config, (error) => {
        throw error;
      });
  });
}

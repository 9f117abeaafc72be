import type { Db } from "../../src/drivers/db/db.ts";

/** Replaces methods of a database, and the same methods of its `withReserve`. */
export function changedDb<Driver extends Db>(db: Driver, changed: Partial<Db>): Driver {
  const result: Driver = {
    ...db,
    ...changed,
    get withReserve() {
      return result;
    },
  };
  return result;
}

import { type Db, type Step, statementOf } from "../../src/drivers/db/db.ts";

/** Replaces methods of a database, and the same methods of its `withReserve`. */
export function changedDb<Driver extends Db>(db: Driver, changed: Partial<Db>): Driver {
  const result: Driver = {
    ...db,
    ...changed,
    // Reads that are optimistic would go past the changed methods.
    optimistic: () => null,
    get withReserve() {
      return result;
    },
  };
  return result;
}

/** Runs the steps of a batch one after the other, without a transaction. Returns how many rows each has changed. */
export async function runEach(db: Db, steps: readonly Step<string>[]): Promise<number[]> {
  const changed: number[] = [];
  for (const each of steps) changed.push(await db.run(...statementOf(each)));
  return changed;
}

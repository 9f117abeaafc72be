import type { Db } from "../drivers/db/db.ts";

interface Stores {
  db: Pick<Db, "get">;
  clock: () => number;
  log: { warn(fields: object, message: string): void };
}

/** A difference between the clocks of a node and of the database that is told to the operator, in milliseconds. */
const SKEW_MS = 500;

/**
 * Compares the clock of this process with that of the database, and warns when they begin to differ by more than half a second, when that
 * changes by as much again, and when they agree again.
 */
export class ClockSkew {
  readonly #stores: Stores;
  /** The difference of which the last line of the log tells. */
  #told = 0;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /** Returns by how many milliseconds the clock of this process is certainly ahead of the database's; negative if it is behind. */
  async measure(): Promise<number> {
    const { db, clock, log } = this.#stores;
    const [before, started] = [clock(), performance.now()];
    const row = await db.get<{ now: number | string }>`select now from database_clock`;
    const elapsed = performance.now() - started;
    // The database has read its clock at any moment of the round trip.
    const ahead = before + elapsed / 2 - Number(row?.now);
    const skew = Math.round(Math.sign(ahead) * Math.max(0, Math.abs(ahead) - elapsed / 2));
    const isSkewed = Math.abs(skew) > SKEW_MS;
    if (isSkewed ? Math.abs(skew - this.#told) > SKEW_MS : this.#told !== 0) {
      this.#told = isSkewed ? skew : 0;
      const message = isSkewed
        ? `the clock of this node is ${Math.abs(skew)} ms ${skew > 0 ? "ahead of" : "behind"} that of the database: synchronize both, for example with chrony`
        : "the clock of this node agrees with that of the database again";
      log.warn({ skewMs: skew }, message);
    }
    return skew;
  }
}

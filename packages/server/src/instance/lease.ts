import type { CanvasData } from "../canvases/canvas-data.ts";
import { newId } from "../crypto/ids.ts";
import { type Bus, LEASE_MS, type Renewal } from "../drivers/bus/bus.ts";
import { type Db, optional, type Sql, sql } from "../drivers/db/db.ts";
import { ClockSkew } from "./clock-skew.ts";

/** The interval between renewals, in milliseconds. A lease outlives one failed renewal. */
const RENEW_MS = 4_000;
/** The interval at which a process looks whether a renewal is due, in milliseconds. */
const TICK_MS = 50;

/**
 * The lease of a process. Everything that a process holds for a while names it: places and presence on the bus, AI requests and jobs in the
 * database. It counts only while the process renews the lease.
 */
export interface Lease {
  readonly id: string;
  /** What this process holds in the database: ids of AI requests, names of jobs. The row of the lease is renewed while there is any, or other nodes share the database. */
  readonly held: Set<string>;
  /** Calls `listener` after each renewal on the bus. Returns a function that ends this. */
  afterBus(listener: (renewal: Renewal) => unknown): () => void;
  /** Calls `listener` at each interval, after the row in the database has been renewed. Returns a function that ends this. */
  afterDatabase(listener: () => unknown): () => void;
}

/** The leases, which are kept for an hour after they have expired, and the jobs. */
export const leaseData: CanvasData = {
  otherTables: ["leases", "nodes", "jobs"],
  cleanUps: [
    {
      what: "leases",
      keptMs: 60 * 60 * 1000,
      remove: (until, { db }) => db.withReserve.run`delete from leases where leased_until <= ${until}`,
    },
  ],
};

/** Returns the statement that starts or extends a lease in the database. A batch that writes rows under a lease contains it. */
export const keepLease = (id: string, ms = LEASE_MS): Sql => sql`
  insert into leases (id, leased_until) select cast(${id} as text), now + ${ms} from database_clock where true
  on conflict (id) do update set leased_until = excluded.leased_until`;

/** Calls the listeners one after the other, also if one fails. */
async function callAll<Value>(listeners: Set<(value: Value) => unknown>, value: Value): Promise<void> {
  const failed: unknown[] = [];
  for (const listener of listeners) {
    try {
      await listener(value);
    } catch (error) {
      failed.push(error);
    }
  }
  if (failed.length > 0) throw failed.length === 1 ? failed[0] : new AggregateError(failed);
}

interface Stores {
  db: Db;
  bus: Bus;
  clock: () => number;
  log: { warn(fields: object, message: string): void };
}

/** The lease of this process, with its renewals. */
export class NodeLease implements Lease {
  readonly id: string = newId();
  readonly held = new Set<string>();
  readonly #stores: Stores;
  readonly #skew: ClockSkew;
  /** Returns the statement that keeps the row of this process in `nodes`. Null while it has none. */
  #keepNode: ((skewMs: number) => Sql) | null = null;
  readonly #afterBus = new Set<(renewal: Renewal) => unknown>();
  readonly #afterDatabase = new Set<(nothing: undefined) => unknown>();
  /** The renewals that are under way. Neither waits for the other, so that a database that is away costs no places on the bus. */
  readonly #running: { bus?: Promise<void> | undefined; database?: Promise<void> | undefined } = {};
  /** The time of the last renewal in milliseconds, according to the service's clock and to a monotonic clock. */
  #renewedAt = { clock: 0, monotonic: 0 };
  #timer: NodeJS.Timeout | undefined;
  #endMissed = () => {};

  constructor(stores: Stores) {
    this.#stores = stores;
    this.#skew = new ClockSkew(stores);
  }

  /** Keeps the row of this process in `nodes` from now on: with every renewal, also while the process holds nothing. */
  keepNode(statement: (skewMs: number) => Sql): void {
    this.#keepNode = statement;
  }

  /** Takes the lease, and renews it until `stop`. */
  async start(): Promise<void> {
    this.#endMissed = this.#stores.bus.onMissed(() => this.#renewAgain());
    this.#renew();
    await this.#running.bus;
    this.#timer = setInterval(() => {
      if (this.#isDue()) this.#renew();
    }, TICK_MS).unref();
  }

  /** Ends the lease in the database, after the renewals that are under way. On the bus it expires. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#endMissed();
    await Promise.all([this.#running.bus, this.#running.database]);
    try {
      await this.#stores.db.withReserve.run`delete from leases where id = ${this.id}`;
    } catch (err) {
      this.#stores.log.warn({ err }, "the lease of this node ends by itself");
    }
  }

  afterBus(listener: (renewal: Renewal) => unknown): () => void {
    this.#afterBus.add(listener);
    return () => this.#afterBus.delete(listener);
  }

  afterDatabase(listener: () => unknown): () => void {
    this.#afterDatabase.add(listener);
    return () => this.#afterDatabase.delete(listener);
  }

  /** Whether `RENEW_MS` have passed since the last renewal, according to either clock. The service's clock may be set back. */
  #isDue(): boolean {
    const { clock, monotonic } = this.#renewedAt;
    return this.#stores.clock() - clock >= RENEW_MS || performance.now() - monotonic >= RENEW_MS;
  }

  #renew(): void {
    const { db, bus, clock } = this.#stores;
    this.#renewedAt = { clock: clock(), monotonic: performance.now() };
    this.#run("bus", async () => callAll(this.#afterBus, await bus.renewLease(this.id)));
    this.#run("database", async () => {
      if (this.#keepNode !== null) {
        const keepNode = optional(...this.#keepNode(await this.#skew.measure()));
        await db.withReserve.batch([optional(...keepLease(this.id)), keepNode]);
      } else if (this.held.size > 0) await db.withReserve.run(...keepLease(this.id));
      await callAll(this.#afterDatabase, undefined);
    });
  }

  /** Renews the lease because the bus is back, even if a renewal that has failed, or is about to, is still under way. */
  #renewAgain(): void {
    const running = this.#running.bus;
    if (running === undefined) this.#renew();
    else void running.then(() => this.#renew());
  }

  /** Begins a renewal unless the last one of the kind is still under way. */
  #run(kind: "bus" | "database", work: () => Promise<void>): void {
    this.#running[kind] ??= work()
      .catch((err) => this.#stores.log.warn({ err }, `renewing the lease of this node failed (${kind})`))
      .finally(() => {
        this.#running[kind] = undefined;
      });
  }
}

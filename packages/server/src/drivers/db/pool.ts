import type { Sql } from "postgres";
import { Unavailable } from "./db.ts";

/** A client of the `postgres` package: up to `max` connections and a queue. */
export type Client = Sql<{ bigint: number }>;

/** Times of a pool in milliseconds. */
export interface PoolTimes {
  /** A query without an answer for longer than this has the server checked. */
  late: number;
  /** How long that check may take before the server counts as away. */
  check: number;
  /** How often the pool looks for late queries, and for a server that is away. */
  round: number;
  /** How long making a connection may take. */
  connect: number;
  /** A query without an answer for longer than this has its connection given up, though the server answers others. */
  longest: number;
}

/** Changes that a pool reports to the log. */
export type Tell = (change: "away" | "back", cause?: unknown) => void;

interface Use {
  client: Client;
  since: number;
  done: Promise<unknown>;
}

/** Queries that may wait for an answer at once. More than this many are refused. */
const MOST_USES = 10_000;

/** Connection attempts at a server that is away which may be under way at once. */
const MOST_ATTEMPTS = 10;

/** Parts in which the time of a check is counted. */
const TICKS = 10;

/** Connection lost or not made: by the package, by the system, or in the words of PostgreSQL (class 08, shutdown, start-up). */
const LOST = /^(CONNECT\w+|E(?!RR_)[A-Z_]+|08\w{3}|57P0[123])$/;

/** The server answers but cannot serve: out of resources, read-only after a failover, or it does not let the service in. */
const DENIED = /^(53\w{3}|25006|28\w{3}|3D000)$/;

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? "");

/**
 * Connections to a PostgreSQL server that may go away. When a connection is lost or an answer is late, the pool makes a connection
 * of its own to check the server. If the check fails, every query under way is rejected and new ones are refused at once,
 * until one of the repeated connection attempts succeeds. The package's own queue would let them wait without a limit.
 */
export class Pool {
  readonly #open: () => Client;
  readonly #times: PoolTimes;
  readonly #tell: Tell;
  readonly #uses = new Set<Use>();
  readonly #attempts = new Set<Client>();
  readonly #timer: NodeJS.Timeout;
  /** Null while the server is away. */
  #client: Client | null;
  #checkedAt = 0;
  #checking = false;
  #closed = false;

  /** `open` makes a client that is not connected yet. */
  constructor(open: () => Client, times: PoolTimes, tell: Tell) {
    this.#open = open;
    this.#times = times;
    this.#tell = tell;
    this.#client = open();
    this.#timer = setInterval(() => this.#tend(), times.round).unref();
  }

  /** Runs queries. @throws Unavailable when the server is away; then a write may have happened all the same, or not. */
  async use<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = this.#client;
    if (client === null) throw new Unavailable("the database is away");
    if (this.#uses.size >= MOST_USES) throw new Unavailable("too many queries wait for the database");
    const done = work(client);
    const use = { client, since: performance.now(), done };
    this.#uses.add(use);
    try {
      return await done;
    } catch (error) {
      if (LOST.test(codeOf(error))) void this.#check(client);
      else if (!DENIED.test(codeOf(error))) throw error;
      throw new Unavailable("the database did not answer", { cause: error });
    } finally {
      this.#uses.delete(use);
    }
  }

  /** The client, for long work at the start that has no limits of time. */
  get client(): Client {
    if (this.#client === null) throw new Unavailable("the database is away");
    return this.#client;
  }

  /** Ends after the queries under way. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#uses.size > 0) await Promise.allSettled([...this.#uses].map(({ done }) => done));
    clearInterval(this.#timer);
    // Nothing is under way: a connection that was lost would keep the package waiting.
    await Promise.all([...this.#attempts, this.#client].map((client) => client?.end({ timeout: 0 })));
  }

  #tend(): void {
    const client = this.#client;
    if (client === null) {
      if (!this.#closed && this.#attempts.size < MOST_ATTEMPTS) void this.#attempt();
      return;
    }
    // The first one of this client is the oldest.
    for (const use of this.#uses) {
      if (use.client !== client) continue;
      const now = performance.now();
      if (now - use.since > this.#times.longest) this.#renew(client);
      else if (now - Math.max(use.since, this.#checkedAt) > this.#times.late) void this.#check(client);
      return;
    }
  }

  async #check(client: Client): Promise<void> {
    if (this.#checking || this.#client !== client) return;
    this.#checking = true;
    const fault = await this.#ask(this.#open(), this.#times.check);
    this.#checking = false;
    this.#checkedAt = performance.now();
    // Any other error is an answer.
    if (fault === null || !LOST.test(codeOf(fault)) || this.#client !== client) return;
    this.#client = null;
    this.#tell("away", fault);
    // Rejects all that it was given, and drops what it has not sent.
    void client.end({ timeout: 0 });
  }

  /** Makes a connection and asks something; answers what went wrong. The client is ended, unless it is to be `kept`. */
  async #ask(client: Client, ms: number, kept = false): Promise<unknown> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    let ticks = 0;
    // A process that is busy with something else for that long has not waited.
    const timer = setInterval(() => {
      if (++ticks < TICKS) return;
      reject(Object.assign(new Error(`no answer within ${ms} ms`), { code: "CONNECT_TIMEOUT" }));
    }, ms / TICKS);
    const fault = await Promise.race([client`select 1`, late]).then(
      () => null,
      (error: unknown) => error,
    );
    clearInterval(timer);
    if (fault !== null || !kept) void client.end({ timeout: 0 });
    return fault;
  }

  async #attempt(): Promise<void> {
    const client = this.#open();
    this.#attempts.add(client);
    const fault = await this.#ask(client, this.#times.connect, true);
    this.#attempts.delete(client);
    if (fault !== null) return;
    if (this.#client !== null || this.#closed) return void client.end({ timeout: 0 });
    this.#client = client;
    this.#tell("back");
  }

  /** Gives new queries new connections; those of the old ones that work come to their end. */
  #renew(old: Client): void {
    this.#client = this.#open();
    void old.end({ timeout: this.#times.check / 1000 });
  }
}

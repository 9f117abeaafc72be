import type { Sql } from "postgres";
import { Unavailable } from "./db.ts";
import { isHandshakeError } from "./postgres-options.ts";

/** A client of the `postgres` package. It has up to `max` connections and a queue. */
export type Client = Sql<{ bigint: number }>;

/**
 * The two clients of a pool: one for single statements, one for transactions. If both shared their connections, the `postgres` package
 * could begin a transaction on a busy connection without reserving it. Later statements on that connection would then never be committed
 * (decision 029).
 */
export interface Clients {
  statements: Client;
  transactions: Client;
}

/** Ends both clients. Queries without a response after `timeout` seconds are rejected. */
async function end({ statements, transactions }: Clients, timeout: number): Promise<void> {
  await Promise.all([statements.end({ timeout }), transactions.end({ timeout })]);
}

/** Timeouts and intervals of a pool in milliseconds. */
export interface PoolTimes {
  /** Time without a response to a query after which the pool checks the server. */
  late: number;
  /** Time after which a check without a response has failed, and the pool treats the server as unreachable. */
  check: number;
  /** Interval at which the pool looks for late queries, and tries to connect to an unreachable server. */
  round: number;
  /** Timeout for making a connection. */
  connect: number;
  /** Time without a response to a query after which the pool replaces its connections, even if the server responds to checks. */
  longest: number;
}

/** Called when the server becomes unreachable, and when it is reachable again. */
export type OnReachability = (change: "away" | "back", cause?: unknown) => void;

interface PendingQuery {
  clients: Clients;
  since: number;
  done: Promise<unknown>;
}

/** The maximum number of queries that wait for a response. Further queries are rejected. */
const MAX_PENDING = 10_000;

/** The maximum number of concurrent attempts to connect to an unreachable server. */
const MAX_ATTEMPTS = 10;

/** The number of timer ticks into which `#ask` divides its timeout. The check fails if the last tick comes before the response. */
const TICKS = 10;

/**
 * Matches the error codes of a connection that was lost or could not be made: codes of the `postgres` package, of the system, and of
 * PostgreSQL (class 08, shutdown, start-up).
 */
const LOST = /^(CONNECT\w+|E(?!RR_)[A-Z_]+|08\w{3}|57P0[123])$/;

/**
 * Matches the error codes of a server that responds but cannot run queries: out of resources, read-only after a failover, access denied.
 */
const DENIED = /^(53\w{3}|25006|28\w{3}|3D000)$/;

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? "");

const isLost = (error: unknown): boolean => LOST.test(codeOf(error)) || isHandshakeError(error);

/**
 * Pools connections to a PostgreSQL server that may become unreachable. When a connection is lost or a response is late, the pool checks
 * the server with a new connection. If the check fails, all pending and new queries are rejected until one of the repeated attempts to
 * connect succeeds.
 */
export class Pool {
  readonly #open: () => Clients;
  readonly #times: PoolTimes;
  readonly #onReachability: OnReachability;
  readonly #pending = new Set<PendingQuery>();
  readonly #attempts = new Set<Clients>();
  readonly #timer: NodeJS.Timeout;
  /** Null while the server is unreachable. */
  #clients: Clients | null;
  #checkedAt = 0;
  #checking = false;
  #closed = false;

  /** `open` returns clients that are not connected yet. */
  constructor(open: () => Clients, times: PoolTimes, onReachability: OnReachability) {
    this.#open = open;
    this.#times = times;
    this.#onReachability = onReachability;
    this.#clients = open();
    this.#timer = setInterval(() => this.#onTick(), times.round).unref();
  }

  /** Runs queries. @throws Unavailable if the server is unreachable or too many queries wait. Even then, a write may have been done. */
  async use<Result>(work: (clients: Clients) => Promise<Result>): Promise<Result> {
    const clients = this.#clients;
    if (clients === null) throw new Unavailable("the database is away");
    if (this.#pending.size >= MAX_PENDING) throw new Unavailable("too many queries wait for the database");
    const done = work(clients);
    const query = { clients, since: performance.now(), done };
    this.#pending.add(query);
    try {
      return await done;
    } catch (error) {
      if (isLost(error)) void this.#check(clients);
      else if (!DENIED.test(codeOf(error))) throw error;
      throw new Unavailable("the database did not answer", { cause: error });
    } finally {
      this.#pending.delete(query);
    }
  }

  /** The clients, for work at the start that the timeouts of `use` must not limit, such as migrations. */
  get clients(): Clients {
    if (this.#clients === null) throw new Unavailable("the database is away");
    return this.#clients;
  }

  /** Waits for the pending queries, then closes the connections. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#pending.size > 0) await Promise.allSettled([...this.#pending].map(({ done }) => done));
    clearInterval(this.#timer);
    // Ends the clients at once. With a timeout, the package would wait for lost connections.
    await Promise.all([...this.#attempts, this.#clients].map((each) => each && end(each, 0)));
  }

  #onTick(): void {
    const clients = this.#clients;
    if (clients === null) {
      if (!this.#closed && this.#attempts.size < MAX_ATTEMPTS) void this.#attempt();
      return;
    }
    // The set is in order of insertion, so the first query of these clients is the oldest.
    for (const query of this.#pending) {
      if (query.clients !== clients) continue;
      const now = performance.now();
      if (now - query.since > this.#times.longest) this.#renew(clients);
      else if (now - Math.max(query.since, this.#checkedAt) > this.#times.late) void this.#check(clients);
      return;
    }
  }

  async #check(clients: Clients): Promise<void> {
    if (this.#checking || this.#clients !== clients) return;
    this.#checking = true;
    const error = await this.#ask(this.#open(), this.#times.check);
    this.#checking = false;
    this.#checkedAt = performance.now();
    // An error with any other code is a response of the server, so the server is reachable.
    if (error === null || !isLost(error) || this.#clients !== clients) return;
    this.#clients = null;
    this.#onReachability("away", error);
    // Rejects all pending queries, and drops those that have not been sent.
    void end(clients, 0);
  }

  /**
   * Checks that the server responds to a query. Returns null if it does, otherwise the error; no response within `ms` milliseconds is an
   * error. Closes the clients after an error, and after a success unless `kept` is true.
   */
  async #ask(clients: Clients, ms: number, kept = false): Promise<unknown> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    let ticks = 0;
    // Counts timer intervals instead of the time, so that a blocked event loop does not count as a late response.
    const timer = setInterval(() => {
      if (++ticks < TICKS) return;
      reject(Object.assign(new Error(`no answer within ${ms} ms`), { code: "CONNECT_TIMEOUT" }));
    }, ms / TICKS);
    const error = await Promise.race([clients.statements`select 1`, late]).then(
      () => null,
      (reason: unknown) => reason,
    );
    clearInterval(timer);
    if (error !== null || !kept) void end(clients, 0);
    return error;
  }

  async #attempt(): Promise<void> {
    const clients = this.#open();
    this.#attempts.add(clients);
    const error = await this.#ask(clients, this.#times.connect, true);
    this.#attempts.delete(clients);
    if (error !== null) return;
    if (this.#clients !== null || this.#closed) return void end(clients, 0);
    this.#clients = clients;
    this.#onReachability("back");
  }

  /**
   * Replaces the clients, so that new queries get new connections. The queries on the old connections may still finish within the timeout
   * of a check.
   */
  #renew(old: Clients): void {
    this.#clients = this.#open();
    void end(old, this.#times.check / 1000);
  }
}

import { Unavailable } from "../db.ts";
import { isDenied, isLost } from "./postgres-errors.ts";

/** The connections of a node to a server. */
export interface Connections {
  /** Runs a query that changes nothing. Rejects if the server does not respond. */
  ping(): Promise<unknown>;
  /** Ends all connections. Queries without a response after `timeout` seconds are rejected. */
  end(timeout: number): Promise<void>;
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

/** Called after each operation, also a failed one, with its duration in seconds. */
export type OnOperation = (seconds: number) => void;

interface PendingQuery {
  connections: Connections;
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
 * Pools connections to a PostgreSQL server that may become unreachable. When a connection is lost or a response is late, the pool checks
 * the server with a new connection. If the check fails, all pending and new queries are rejected until one of the repeated attempts to
 * connect succeeds.
 */
export class Pool<Each extends Connections> {
  readonly #open: () => Each;
  readonly #times: PoolTimes;
  readonly #onReachability: OnReachability;
  readonly #onOperation: OnOperation;
  readonly #pending = new Set<PendingQuery>();
  readonly #attempts = new Set<Each>();
  readonly #timer: NodeJS.Timeout;
  /** Null while the server is unreachable. */
  #connections: Each | null;
  #checkedAt = 0;
  #checking = false;
  #closed = false;

  /** `open` returns connections that are not made yet. */
  constructor(
    open: () => Each,
    times: PoolTimes,
    onReachability: OnReachability,
    onOperation: OnOperation = () => {},
  ) {
    this.#open = open;
    this.#times = times;
    this.#onReachability = onReachability;
    this.#onOperation = onOperation;
    this.#connections = open();
    this.#timer = setInterval(() => this.#onTick(), times.round).unref();
  }

  /** Runs queries. @throws Unavailable if the server is unreachable or too many queries wait. Even then, a write may have been done. */
  async use<Result>(work: (connections: Each) => Promise<Result>): Promise<Result> {
    const connections = this.#connections;
    if (connections === null) throw new Unavailable("the database is away");
    if (this.#pending.size >= MAX_PENDING) throw new Unavailable("too many queries wait for the database");
    const done = work(connections);
    const query = { connections, since: performance.now(), done };
    this.#pending.add(query);
    try {
      return await done;
    } catch (error) {
      if (isLost(error)) void this.#check(connections);
      else if (!isDenied(error)) throw error;
      throw new Unavailable("the database did not answer", { cause: error });
    } finally {
      this.#pending.delete(query);
      this.#onOperation((performance.now() - query.since) / 1000);
    }
  }

  /** Waits for the pending queries, then closes the connections. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#pending.size > 0) await Promise.allSettled([...this.#pending].map(({ done }) => done));
    clearInterval(this.#timer);
    // Ends the connections at once. With a timeout, the package would wait for lost connections.
    await Promise.all([...this.#attempts, this.#connections].map((each) => each?.end(0)));
  }

  #onTick(): void {
    const connections = this.#connections;
    if (connections === null) {
      if (!this.#closed && this.#attempts.size < MAX_ATTEMPTS) void this.#attempt();
      return;
    }
    // The set is in order of insertion, so the first query of these connections is the oldest.
    for (const query of this.#pending) {
      if (query.connections !== connections) continue;
      const now = performance.now();
      if (now - query.since > this.#times.longest) this.#renew(connections);
      else if (now - Math.max(query.since, this.#checkedAt) > this.#times.late) void this.#check(connections);
      return;
    }
  }

  async #check(connections: Each): Promise<void> {
    if (this.#checking || this.#connections !== connections) return;
    this.#checking = true;
    const error = await this.#ask(this.#open(), this.#times.check);
    this.#checking = false;
    this.#checkedAt = performance.now();
    // An error with any other code is a response of the server, so the server is reachable.
    if (error === null || !isLost(error) || this.#connections !== connections) return;
    this.#connections = null;
    this.#onReachability("away", error);
    // Rejects all pending queries, and drops those that have not been sent.
    void connections.end(0);
  }

  /**
   * Checks that the server responds to a query. Returns null if it does, otherwise the error; no response within `ms` milliseconds is an
   * error. Closes the connections after an error, and after a success unless `kept` is true.
   */
  async #ask(connections: Each, ms: number, kept = false): Promise<unknown> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    let ticks = 0;
    // Counts timer intervals instead of the time, so that a blocked event loop does not count as a late response.
    const timer = setInterval(() => {
      if (++ticks < TICKS) return;
      reject(Object.assign(new Error(`no answer within ${ms} ms`), { code: "CONNECT_TIMEOUT" }));
    }, ms / TICKS);
    const error = await Promise.race([connections.ping(), late]).then(
      () => null,
      (reason: unknown) => reason,
    );
    clearInterval(timer);
    if (error !== null || !kept) void connections.end(0);
    return error;
  }

  async #attempt(): Promise<void> {
    const connections = this.#open();
    this.#attempts.add(connections);
    const error = await this.#ask(connections, this.#times.connect, true);
    this.#attempts.delete(connections);
    if (error !== null) return;
    if (this.#connections !== null || this.#closed) return void connections.end(0);
    this.#connections = connections;
    this.#onReachability("back");
  }

  /**
   * Replaces the connections, so that new queries get new connections. The queries on the old connections may still finish within the timeout
   * of a check.
   */
  #renew(old: Each): void {
    this.#connections = this.#open();
    void old.end(this.#times.check / 1000);
  }
}

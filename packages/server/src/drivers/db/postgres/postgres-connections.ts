import { Lanes } from "./lanes.ts";
import type { Connections } from "./pool.ts";
import type { Client, OpenClient } from "./postgres-client.ts";
import { TurnReads } from "./turn-reads.ts";
import { TurnWrites } from "./turn-writes.ts";
import { Turns } from "./turns.ts";

/** The maximum numbers of connections from a node to the server, by what they are for. */
const MAX = {
  /** For single statements. Several share a connection only if more are in flight than there are connections. */
  statements: 6,
  /** For statements that may read many rows, so that they delay no others. */
  lists: 4,
  /** For the reads of a turn. With few connections, the reads leave in few messages and the server wakes up seldom. */
  reads: 2,
  /** For the writes of a turn. With more connections, fewer writes would share a commit. */
  writes: 2,
  /** For transactions. */
  transactions: 8,
};

/**
 * Settings of PostgreSQL for the statements of turns, which read or change a row for each call, and have their values in arrays. They are planned
 * once, because planning takes longer than reading. Each row is found by an index in the order of the calls, whatever the statistics
 * say: a plan that reads whole tables may look cheaper for several calls, while the tables are small.
 */
export const TURN_SETTINGS = {
  plan_cache_mode: "force_generic_plan",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_seqscan: "off",
};

/**
 * The connections of a node to a server, by what they are for. If statements and transactions shared connections, the `postgres` package
 * could begin a transaction on a busy connection without reserving it. Later statements on that connection would then never be committed
 * (decision 029).
 */
export class PostgresConnections implements Connections {
  readonly statements: Client;
  readonly lists: Client;
  readonly transactions: Lanes;
  readonly reads: TurnReads;
  readonly writes: TurnWrites;
  readonly #joined: Client;
  readonly #groups: Lanes;

  constructor(open: OpenClient) {
    this.statements = open(MAX.statements);
    this.lists = open(MAX.lists);
    this.transactions = new Lanes(MAX.transactions, (onClose) => open(1, { onClose }));
    this.#joined = open(MAX.reads, { settings: TURN_SETTINGS });
    this.#groups = new Lanes(MAX.writes, (onClose) => open(1, { settings: TURN_SETTINGS, onClose }));
    const turns = new Turns();
    this.reads = new TurnReads(this.statements, this.#joined, turns);
    this.writes = new TurnWrites(this.statements, this.#groups, turns);
  }

  ping(): Promise<unknown> {
    return this.statements`select 1`;
  }

  async end(timeout: number): Promise<void> {
    await Promise.all([
      this.statements.end({ timeout }),
      this.lists.end({ timeout }),
      this.#joined.end({ timeout }),
      this.#groups.end(timeout),
      this.transactions.end(timeout),
    ]);
  }
}

import connect, { type Row, type RowList } from "postgres";
import type { Value } from "../db.ts";
import type { Client } from "./postgres-client.ts";

/** A statement as the server gets it: a text with numbered parameters and their values. */
export interface Sent {
  text: string;
  values: readonly Value[];
}

export type Answer = PromiseSettledResult<RowList<Row[]>>;

/** Makes a client with one connection, and calls `onClose` when that connection closes. */
export type OpenLane = (onClose: () => void) => Client;

/** A connection for one transaction at a time. It is made when it is first needed, and again after it has closed. */
class Lane {
  readonly #open: OpenLane;
  /** The client whose connection is open. */
  #client: Client | null = null;

  constructor(open: OpenLane) {
    this.#open = open;
  }

  async run(statements: readonly Sent[]): Promise<Answer[]> {
    const client = this.#client ?? (await this.#connect());
    try {
      return await transact(client, statements);
    } catch (error) {
      // Queries for a connection that has failed may remain in its client.
      this.#drop(client);
      throw error;
    }
  }

  /** The package reserves a connection only if it is open (package postgres 3.4), so this opens it by a query. */
  async #connect(): Promise<Client> {
    const client: Client = this.#open(() => {
      if (this.#client === client) this.#drop(client);
    });
    this.#client = client;
    try {
      await client`select 1`;
    } catch (error) {
      this.#drop(client);
      throw error;
    }
    return client;
  }

  #drop(client: Client): void {
    if (this.#client === client) this.#client = null;
    void client.end({ timeout: 0 });
  }

  async end(timeout: number): Promise<void> {
    await this.#client?.end({ timeout });
  }
}

/**
 * Runs transactions, each on a connection of its own, and sends each in one piece: `begin`, the statements and `commit`, without waiting for
 * an answer between them. So a transaction takes one round trip. If a statement fails, the server refuses the later ones, and `commit` rolls
 * back.
 */
export class Lanes {
  readonly #lanes: Lane[];
  readonly #free: Lane[];
  readonly #waiting: ((lane: Lane) => void)[] = [];
  #ended = false;

  constructor(count: number, open: OpenLane) {
    this.#lanes = Array.from({ length: count }, () => new Lane(open));
    this.#free = this.#lanes.toReversed();
  }

  /**
   * Runs statements in a transaction and returns the answers, then that to `commit`. If none is an error, the transaction was committed.
   * Otherwise it was rolled back; the first error is the cause of the later ones.
   * @throws if the connection is lost. The transaction may then have been committed.
   */
  async run(statements: readonly Sent[]): Promise<Answer[]> {
    for (const { values } of statements) {
      // The package would leave out the statement, and commit the others.
      if (values.some((value) => value === undefined)) throw new TypeError("A value is undefined");
    }
    const lane = this.#free.pop() ?? (await this.#wait());
    try {
      if (this.#ended)
        throw Object.assign(new Error("The connections were ended"), { code: "CONNECTION_ENDED" });
      return await lane.run(statements);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free.push(lane);
      else next(lane);
    }
  }

  /** Ends all connections. Transactions that wait for one are rejected. */
  async end(timeout: number): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#lanes.map((lane) => lane.end(timeout)));
  }

  #wait(): Promise<Lane> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}

async function transact(client: Client, statements: readonly Sent[]): Promise<Answer[]> {
  // While the connection is reserved, nothing else is sent on it.
  const connection = await client.reserve();
  const [begin, ...answers] = await settled([
    connection.unsafe("begin"),
    ...statements.map(({ text, values }) => connection.unsafe(text, values as never[], { prepare: true })),
    connection.unsafe("commit"),
  ]);
  connection.release();
  if (begin?.status === "rejected") throw begin.reason;
  const commit = answers.at(-1);
  const isCommitted = commit?.status === "fulfilled" && commit.value.command === "COMMIT";
  if (!isCommitted && answers.every(({ status }) => status === "fulfilled"))
    throw new Error("The server did not commit a transaction whose statements succeeded");
  return answers;
}

/** Waits for the answers. Rejects as soon as the connection is lost, because the package drops queries that it has not sent by then. */
function settled(queries: Promise<RowList<Row[]>>[]): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    for (const query of queries)
      query.catch((error: unknown) => {
        if (!(error instanceof connect.PostgresError)) reject(error);
      });
    void Promise.allSettled(queries).then(resolve);
  });
}

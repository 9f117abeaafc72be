import connect, { type TransactionSql } from "postgres";
import {
  type Db,
  type Head,
  nameOf,
  type Outcome,
  type Schema,
  type Sql,
  type SqlText,
  type Step,
  statementOf,
  textOf,
  type Value,
  valueFor,
} from "./db.ts";
import { type Client, type Clients, type OnReachability, Pool, type PoolTimes } from "./pool.ts";
import { explainedHandshake, serverOptions } from "./postgres-options.ts";

/** The columns that `head` adds to each row to measure the rows, in bytes. */
interface Measured {
  row_size: number;
  row_count: number;
  size_so_far: number;
}

/** Matches the codes of the errors of queries whose connection has closed. */
const CLOSED = /^(CONNECTION_CLOSED|ECONNRESET|EPIPE)$/;

/** Thrown and caught in this file to roll back a batch. */
class Rollback extends Error {
  /** The name of the step that changed no row. */
  readonly step: string;

  constructor(step: string) {
    super();
    this.step = step;
  }
}

/**
 * The maximum number of connections from a node to the server for single statements. Statements are pipelined, so that several share one.
 */
const STATEMENTS_MAX = 6;
/** The maximum number of connections from a node to the server for transactions. */
const TRANSACTIONS_MAX = 10;

/** The key of the advisory lock that nodes take before they migrate. Must be the same in all releases. */
const SCHEMA_LOCK = 5_324_117_280;

/** The error codes of a serialization failure and a deadlock. The server has rolled the transaction back, so it can be retried. */
const RETRYABLE = new Set(["40001", "40P01"]);

/** The maximum number of times that a write is tried. */
const MAX_TRIES = 5;

/** Runs a statement or a batch, each a transaction of its own, and retries it after a retryable error. */
async function retried<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      if (tries === MAX_TRIES || !RETRYABLE.has((error as { code?: string }).code ?? "")) throw error;
    }
  }
}

/** The time after which the server cancels a statement. */
const STATEMENT_MS = 15_000;

/** Timeouts that suit servers with round trips of up to about 100 ms. */
const TIMES: PoolTimes = {
  late: 1_000,
  check: 2_000,
  round: 500,
  connect: 5_000,
  longest: STATEMENT_MS + 5_000,
};

/** Opens a PostgreSQL database, version 15 or newer. Statements are pipelined, and prepared once per connection. */
export function postgres(
  url: string,
  onReachability: OnReachability = () => {},
  times: PoolTimes = TIMES,
): Db & Schema {
  const { url: address, ...server } = serverOptions(url);
  const refuse = (error: unknown) => {
    throw explainedHandshake(error, server);
  };
  const client = (max: number) =>
    connect(address, {
      ...server,
      max,
      connect_timeout: times.connect / 1000,
      backoff: () => 0.1,
      // Does not fetch the list of types, which only arrays need. If the connection were lost during the fetch, there would be an unhandled
      // rejection.
      fetch_types: false,
      onnotice() {},
      types: {
        bigint: { to: 20, from: [20], parse: Number, serialize: String },
        // JSON is passed as text. By default, the package would serialize that text once more.
        json: { to: 114, from: [114], parse: String, serialize: String },
      },
      connection: {
        application_name: "easel",
        statement_timeout: STATEMENT_MS,
        client_min_messages: "warning",
      },
    });
  const open = () => ({ statements: client(STATEMENTS_MAX), transactions: client(TRANSACTIONS_MAX) });
  const pool = new Pool(open, times, onReachability);
  /** The texts of statements, with numbered parameters. */
  const texts = new Map<SqlText, string>();

  function numbered(text: SqlText): string {
    const known = texts.get(text);
    if (known !== undefined) return known;
    const made = textOf(text)
      .split("?")
      .reduce((before, part, index) => `${before}$${index}${part}`);
    texts.set(text, made);
    return made;
  }

  function query(through: Client | TransactionSql, [text, ...values]: Sql) {
    return through.unsafe(numbered(text), values as Exclude<Value, Uint8Array>[], { prepare: true });
  }

  /**
   * Runs all steps in a transaction without waiting for each result. If a step that is not `optional` changes no row, the later steps also
   * run, and all steps are rolled back.
   */
  async function attempt({ transactions }: Clients, steps: readonly Step<string>[]): Promise<string> {
    try {
      await transactions.begin(async (transaction) => {
        const results = await Promise.allSettled(steps.map((each) => query(transaction, statementOf(each))));
        // `begin` rejects by itself when its connection closes. It would also send a rollback to the closed connection, which throws an error
        // that nobody can catch (package postgres 3.4), if this function failed, too.
        if (results.some((each) => each.status === "rejected" && CLOSED.test(String(each.reason?.code))))
          return await new Promise<never>(() => {});
        for (const [index, result] of results.entries()) {
          if (result.status === "rejected") throw result.reason;
          if (result.value.count > 0) continue;
          const name = nameOf(steps[index] as Step<string>);
          if (name !== null) throw new Rollback(name);
        }
      });
      return "done";
    } catch (error) {
      if (error instanceof Rollback) return error.step;
      throw error;
    }
  }

  const rows = <Row>({ statements }: Clients, statement: Sql) =>
    query(statements, statement).then((found) => [...found] as Row[]);

  const read = <Row>(statement: Sql) => pool.use((clients) => rows<Row>(clients, statement));

  const write = <Result>(work: (clients: Clients) => Promise<Result>) =>
    pool.use((clients) => retried(() => work(clients)));

  /**
   * Returns the first rows of a query whose total size is at most `size` bytes, but at least one row. The server measures the rows and
   * sends only those that fit.
   */
  async function head<Row>(
    { statements }: Clients,
    size: number,
    [text, ...values]: Sql,
  ): Promise<Head<Row>> {
    const measured = `select * from (
        select found.*, octet_length(found::text) as row_size, count(*) over () as row_count,
          sum(octet_length(found::text)) over (rows unbounded preceding) as size_so_far
        from (${numbered(text)}) as found) as measured
      where size_so_far <= $${values.length + 1} or size_so_far = row_size`;
    const parameters = [...values, size] as Exclude<Value, Uint8Array>[];
    const found = await statements.unsafe<(Row & Measured)[]>(measured, parameters, { prepare: true });
    const rows = found.map(({ row_size, row_count, size_so_far, ...row }) => row as Row);
    return { rows, more: rows.length < (found[0]?.row_count ?? 0) };
  }

  const get = async <Row>(...statement: Sql) => (await read<Row>(statement))[0];

  const driver: Db & Schema = {
    get,
    // Runs the query every time, because another node may have changed the row.
    getCached: (text, ...values) => get(text, ...values.map(valueFor)),
    all: (...statement) => read(statement),
    head: (size, ...statement) => pool.use((clients) => head(clients, size, statement)),
    run: (...statement) => write(({ statements }) => query(statements, statement).then(({ count }) => count)),
    returning: <Row>(...statement: Sql) => write((clients) => rows<Row>(clients, statement)),
    batch: <Each extends Step<string>>(steps: readonly Each[]) =>
      write((clients) => attempt(clients, steps) as Promise<Outcome<Each>>),
    // The server has a disk of its own, which the service cannot measure.
    get withReserve() {
      return driver;
    },

    engine: "postgres",

    async exclusively(work) {
      await pool.clients.transactions
        .begin(async (transaction) => {
          await transaction`select pg_advisory_xact_lock(${SCHEMA_LOCK})`;
          await work({
            async exec(text) {
              await transaction.unsafe(text);
            },
            run: (...statement) => query(transaction, statement),
            async all<Row>(...statement: Sql) {
              return [...(await query(transaction, statement))] as Row[];
            },
          });
        })
        .catch(refuse);
    },

    close: () => pool.close(),
  };
  return driver;
}

import type { TransactionSql } from "postgres";
import {
  type Db,
  type Derived,
  type Head,
  nameOf,
  type Outcome,
  type Schema,
  type Sql,
  type SqlText,
  type Step,
  statementOf,
  type Value,
} from "../db.ts";
import { GuardedDb } from "./guarded-db.ts";
import { type OnOperation, type OnReachability, Pool, type PoolTimes } from "./pool.ts";
import { type Client, clientsOf, ownRows, STATEMENT_MS } from "./postgres-client.ts";
import { PostgresConnections } from "./postgres-connections.ts";
import { retried } from "./postgres-errors.ts";
import { explainedHandshake, serverOptions } from "./postgres-options.ts";
import { StatementTexts, UNCHANGED, UpdateStatement } from "./postgres-statement.ts";
import { RememberedRows } from "./remembered-rows.ts";
import type { Updated } from "./turn-writes.ts";

/** The columns that `head` adds to each row to measure the rows, in bytes. */
interface Measured {
  row_size: number;
  row_count: number;
  size_so_far: number;
}

/** The key of the advisory lock that nodes take before they migrate. Must be the same in all releases. */
const SCHEMA_LOCK = 5_324_117_280;

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
  onOperation?: OnOperation,
): Db & Schema {
  const server = serverOptions(url);
  const open = clientsOf(server, times.connect);
  const pool = new Pool(() => new PostgresConnections(open), times, onReachability, onOperation);
  const texts = new StatementTexts();

  const query = (through: Client | TransactionSql, [text, ...values]: Sql) =>
    through.unsafe(texts.of(text).text, values as Exclude<Value, Uint8Array>[], { prepare: true });

  /** Runs all steps in a transaction, in one round trip. */
  async function attempt<Each extends Step<string>>(
    { transactions }: PostgresConnections,
    steps: readonly Each[],
  ): Promise<Outcome<Each>> {
    const answers = await transactions.run(
      steps.map((each) => {
        const [text, ...values] = statementOf(each);
        const statement = texts.of(text);
        return { text: nameOf(each) === null ? statement.text : statement.mandatory, values };
      }),
    );
    for (const [index, answer] of answers.entries()) {
      if (answer.status === "fulfilled") continue;
      const each = steps[index];
      if (each !== undefined && answer.reason.code === UNCHANGED) return nameOf(each) as Outcome<Each>;
      throw answer.reason;
    }
    return "done";
  }

  const rows = <Row>({ lists }: PostgresConnections, statement: Sql) =>
    query(lists, statement).then((found) => [...ownRows(found)] as Row[]);

  const write = <Result>(work: (connections: PostgresConnections) => Promise<Result>) =>
    pool.use((connections) => retried(() => work(connections)));

  /** Runs a write. Returns its rows, and the number of rows that it has changed. */
  function change([text, ...values]: Sql): Promise<Updated> {
    const statement = texts.of(text);
    if (statement instanceof UpdateStatement) return pool.use(({ writes }) => writes.run(statement, values));
    return write(async ({ statements }) => {
      const found = await query(statements, [text, ...values]);
      return { count: found.count, rows: [...ownRows(found)] };
    });
  }

  /**
   * Returns the first rows of a query whose total size is at most `size` bytes, but at least one row. The server measures the rows and
   * sends only those that fit.
   */
  async function head<Row>(
    { lists }: PostgresConnections,
    size: number,
    [text, ...values]: Sql,
  ): Promise<Head<Row>> {
    const measured = `select * from (
        select found.*, octet_length(found::text) as row_size, count(*) over () as row_count,
          sum(octet_length(found::text)) over (rows unbounded preceding) as size_so_far
        from (${texts.of(text).text}) as found) as measured
      where size_so_far <= $${values.length + 1} or size_so_far = row_size`;
    const parameters = [...values, size] as Exclude<Value, Uint8Array>[];
    const found = ownRows(await lists.unsafe<(Row & Measured)[]>(measured, parameters, { prepare: true }));
    const rows = found.map(({ row_size, row_count, size_so_far, ...row }) => row as Row);
    return { rows, more: rows.length < (found[0]?.row_count ?? 0) };
  }

  const driver: Db & Schema = {
    get: <Row>(text: SqlText, ...values: Value[]) =>
      pool.use(({ reads }) => reads.get(texts.of(text), values)) as Promise<Row | undefined>,
    // Asks the server every time, because another node may have changed the row.
    getCached: <Row>(text: SqlText, ...values: (Value | Derived)[]) =>
      pool.use(({ reads }) => reads.getCached(texts.of(text), values)) as Promise<Row | undefined>,
    all: <Row>(...statement: Sql) => pool.use((connections) => rows<Row>(connections, statement)),
    head: (size, ...statement) => pool.use((connections) => head(connections, size, statement)),
    run: async (...statement) => (await change(statement)).count,
    returning: async <Row>(...statement: Sql) => (await change(statement)).rows as Row[],
    batch: (steps) => write((connections) => attempt(connections, steps)),
    optimistic: () => new GuardedDb(driver, remembered),
    // The server has a disk of its own, which the service cannot measure.
    get withReserve() {
      return driver;
    },

    engine: "postgres",

    async exclusively(work) {
      // The work at the start may take longer than the timeouts of the pool allow.
      const client = open(1);
      try {
        await client.begin(async (transaction) => {
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
        });
      } catch (error) {
        throw explainedHandshake(error, server);
      } finally {
        await client.end({ timeout: 0 });
      }
    },

    close: () => pool.close(),
  };
  const remembered = new RememberedRows(driver);
  return driver;
}

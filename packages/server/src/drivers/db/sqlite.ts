import { Checkpoints } from "./checkpoints.ts";
import {
  type Db,
  type Dependent,
  type Derived,
  type Head,
  nameOf,
  type Outcome,
  type Schema,
  type Sql,
  type SqlText,
  type Step,
  statementOf,
  Unavailable,
  type Value,
  valueFor,
} from "./db.ts";
import { isBusy, openConnection, SqliteSpace, sqliteError, withFileName } from "./sqlite-connection.ts";
import { clearAll, type Prepared, Statements } from "./statements.ts";
import { LOCKED, Repeat, WriteBatcher } from "./write-batcher.ts";

/** The maximum time for which a write waits while another process holds the lock. */
const LOCK_MS = 5_000;

interface Options {
  /** How long writes wait while another process holds the write lock, in milliseconds. */
  lockMs?: number | undefined;
  /** The number of bytes to keep free on the disk, or null for the default. With 0, the free space is not checked. */
  reserve?: number | null;
  /** Called after each transaction that writes, with its duration in seconds. */
  onCommit?: ((seconds: number) => void) | undefined;
}

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
 * Opens an SQLite database. Reads of one turn of the event loop share a snapshot; writes of one turn share a transaction, which is
 * committed at the end of the turn (decision 007). While another process holds the write lock, writes wait in order for up to `lockMs`
 * milliseconds. `onIoError` is called when the disk fails during a commit. It must end the process.
 */
export function sqlite(
  file: string,
  onIoError: (error: unknown) => void,
  { lockMs = LOCK_MS, reserve = 0, onCommit }: Options = {},
): Db & Schema {
  const connection = openConnection(file, LOCK_MS);
  // Replaces SQLite's own `lower`, which converts ASCII letters only. PostgreSQL's `lower` converts all letters.
  connection.function("lower", { deterministic: true }, (text) => String(text).toLowerCase());
  // Adds a function of PostgreSQL that SQLite lacks.
  connection.function("greatest", { deterministic: true }, (one, other) =>
    Math.max(Number(one), Number(other)),
  );
  // Adds PostgreSQL's clock, with the one field of it that statements read.
  connection.function("clock_timestamp", () => Date.now());
  connection.function("date_part", (_epoch, ms) => Number(ms) / 1000);
  const statements = new Statements(connection);
  const writes = new WriteBatcher(connection, { lockMs, retry: endTurn, onIoError, onCommit });
  const checkpoints = new Checkpoints(file, checkpoint);
  const space = new SqliteSpace(connection, file, reserve);
  let version: unknown;
  let reading = false;
  let ending = false;
  /** Whether the database is being closed. A write that comes then would find no transaction any more. */
  let closing = false;

  // Sets how long SQLite waits for a lock. The time is 0 except for migrations, because SQLite blocks the event loop while it waits.
  const waitForLocks = (ms: number) => connection.exec(`pragma busy_timeout=${ms}`);
  waitForLocks(0);
  const snapshot = connection.prepare("begin");
  const dataVersion = connection.prepare("pragma data_version");
  const commit = connection.prepare("commit");
  const savepoint = connection.prepare("savepoint batch");
  const undo = connection.prepare("rollback to batch");
  const release = connection.prepare("release batch");

  /** Schedules `endTurn` for the end of the current turn of the event loop, after every socket that is ready has been read. */
  function endLater(): void {
    if (ending) return;
    ending = true;
    setImmediate(endTurn);
  }

  function endTurn(): void {
    ending = false;
    // A read may have come while the database was being closed.
    if (!connection.isOpen) return;
    if (reading && connection.isTransaction) commit.run();
    reading = false;
    if (writes.flush()) checkpoints.schedule();
  }

  /**
   * Copies the rest of the write-ahead log into the database file, after the thread of `checkpoints` has copied most of it. Empties the log
   * while the disk is short of space, because what deletions free inside of the database file is of use only with space for the log.
   */
  function checkpoint(): void {
    if (!connection.isOpen) return;
    endTurn();
    if (connection.isTransaction) return;
    try {
      connection.exec(`pragma wal_checkpoint(${space.isShort ? "truncate" : "passive"})`);
    } catch {
      // After a failure, the log keeps its content until a later checkpoint succeeds.
    }
  }

  /** Runs a read outside of a transaction. Throws `Unavailable` while another process opens or closes the file. */
  function unlessLocked<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw isBusy(error) ? new Unavailable(LOCKED) : error;
    }
  }

  /** Prepares a statement that reads. The first read of a turn opens the snapshot, so that the other reads take no locks. */
  function read(text: SqlText): Prepared {
    if (!reading) {
      snapshot.run();
      reading = true;
      endLater();
      // Changes with every write of another process.
      const now = unlessLocked(() => dataVersion.get()?.data_version);
      if (now !== version) statements.clearCaches();
      version = now;
    }
    return statements.prepare(text);
  }

  /** Throws an error with the code `ENOSPC` if the database may not grow. Empties the log soon after that, which may make space. */
  function requireSpace(): void {
    try {
      unlessLocked(() => space.require());
    } catch (error) {
      checkpoints.schedule();
      throw error;
    }
  }

  async function write<Result>(work: (undoable: boolean) => Result, guarded: boolean): Promise<Result> {
    if (closing || !connection.isOpen) throw new Unavailable("the database is closed");
    if (guarded) requireSpace();
    endLater();
    return writes.add(work);
  }

  function one({ statement, toRow }: Prepared, values: Value[]): unknown {
    const found = statement.get(...values) as unknown[] | undefined;
    return found === undefined ? undefined : toRow(found);
  }

  function rows<Row>({ statement, toRow, clears }: Prepared, values: Value[]): Row[] {
    clearAll(clears);
    return (statement.all(...values) as unknown as unknown[][]).map(toRow) as Row[];
  }

  function head<Row>({ statement, toRow }: Prepared, size: number, values: Value[]): Head<Row> {
    const rows: Row[] = [];
    let left = size;
    for (const found of statement.iterate(...values) as Iterable<unknown>) {
      for (const value of found as Value[])
        if (typeof value === "string" || value instanceof Uint8Array) left -= value.length;
      if (left < 0 && rows.length > 0) return { rows, more: true };
      rows.push(toRow(found as unknown[]) as Row);
    }
    return { rows, more: false };
  }

  function run([text, ...values]: Sql): number {
    const { statement, clears } = statements.prepare(text);
    clearAll(clears);
    return Number(statement.run(...values).changes);
  }

  function runSteps(steps: readonly Step<string>[]): void {
    for (const each of steps) {
      if (run(statementOf(each)) > 0) continue;
      const name = nameOf(each);
      if (name !== null) throw new Rollback(name);
    }
  }

  /**
   * Runs the steps of a batch. Uses a savepoint only if `undoable` is true, because SQLite keeps the pages that change under a savepoint,
   * which takes 15 to 20 % of the creation of a record. Without a savepoint, throws `Repeat` when a step fails; the caller then runs all
   * writes of the turn again with `undoable` true.
   */
  function batch(steps: readonly Step<string>[], undoable: boolean): string {
    if (undoable) savepoint.run();
    try {
      runSteps(steps);
      return "done";
    } catch (error) {
      if (!connection.isTransaction) throw error;
      if (!undoable) throw new Repeat();
      undo.run();
      if (error instanceof Rollback) return error.step;
      throw error;
    } finally {
      if (undoable && connection.isTransaction) release.run();
    }
  }

  /** Builds the driver. If `guarded` is true, each of its writes requires more free space than the reserve. */
  const driver = (guarded: boolean): Omit<Db, "withReserve"> => ({
    async get<Row>(text: SqlText, ...values: Value[]) {
      return one(read(text), values) as Row | undefined;
    },
    async getCached<Row extends Dependent>(text: SqlText, ...values: (Value | Derived)[]) {
      const prepared = read(text);
      return prepared.cache.getCached(values, () => one(prepared, values.map(valueFor))) as Row | undefined;
    },
    async all<Row>(text: SqlText, ...values: Value[]) {
      return rows<Row>(read(text), values);
    },
    async head<Row>(size: number, text: SqlText, ...values: Value[]) {
      return head<Row>(read(text), size, values);
    },
    run: (...each) => write(() => run(each), guarded),
    returning: <Row>(text: SqlText, ...values: Value[]) =>
      write(() => rows<Row>(statements.prepare(text), values), guarded),
    batch: <Each extends Step<string>>(steps: readonly Each[]) =>
      write((undoable) => batch(steps, undoable) as Outcome<Each>, guarded),
    // Rows in memory are compared with the database file once a turn.
    optimistic: () => null,
    async close() {
      closing = true;
      endTurn();
      await writes.settled();
      await checkpoints.close();
      connection.close();
    },
  });
  const unguarded: Db = {
    ...driver(false),
    get withReserve() {
      return unguarded;
    },
  };

  return {
    ...driver(true),
    withReserve: unguarded,
    engine: "sqlite",

    async exclusively(work) {
      endTurn();
      waitForLocks(LOCK_MS);
      withFileName(file, () => connection.exec("begin exclusive"));
      try {
        await work({
          async exec(text) {
            connection.exec(text);
          },
          async run(...each) {
            run(each);
          },
          async all<Row>(text: SqlText, ...values: Value[]) {
            return rows<Row>(statements.prepare(text), values);
          },
        });
        connection.exec("commit");
      } catch (error) {
        if (connection.isTransaction) connection.exec("rollback");
        throw sqliteError(error, file);
      } finally {
        waitForLocks(0);
      }
    },
  };
}

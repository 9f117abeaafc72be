import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Db,
  type Derived,
  type Head,
  type Schema,
  type Sql,
  type Step,
  Unavailable,
  type Value,
  valueFor,
} from "./db.ts";
import { sqliteFault } from "./sqlite-fault.ts";
import { type Prepared, Statements, voidAll } from "./statements.ts";

interface Write {
  work: () => unknown;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

/** Undoes a batch; never leaves this file. */
class Undo extends Error {}

const BUSY = 5;
const IO_ERROR = 10;

/** How long a write waits for the lock of another process. */
const LOCK_MS = 5_000;

/** How often a write that waits for the lock is tried again. */
const RETRY_MS = 10;

/** What went wrong, in SQLite's own numbers. */
const codeOf = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) % 256;

const isBusy = (error: unknown) => codeOf(error) === BUSY;

const LOCKED = "another process has locked the database";

/** Has the errors of the start name the file. */
function named<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw sqliteFault(error, file);
  }
}

/** A connection to a file, made if it is not there. Two at once may ask for the log of a new file: SQLite lets none of them wait. */
function open(file: string): DatabaseSync {
  const until = Date.now() + LOCK_MS;
  for (;;) {
    const connection = named(file, () => new DatabaseSync(file, { timeout: LOCK_MS }));
    try {
      connection.exec(
        "pragma journal_mode=wal; pragma synchronous=full; pragma foreign_keys=on; pragma cache_size=-65536",
      );
      return connection;
    } catch (error) {
      connection.close();
      if (!isBusy(error) || Date.now() > until) throw sqliteFault(error, file);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/**
 * The embedded database. What happens in one turn of the event loop happens together: its reads share a snapshot, and its
 * writes are committed at once at its end and answered after the commit. `broken` is called when the disk failed to keep a
 * commit: nothing can be promised any more, so end the process. While another process holds the write lock, writes wait for up to
 * `lockMs` milliseconds in their order, and reads go on.
 */
export function sqlite(file: string, broken: (error: unknown) => void, lockMs = LOCK_MS): Db & Schema {
  const connection = open(file);
  // SQLite's own `lower` knows ASCII only; PostgreSQL's knows every letter.
  connection.function("lower", { deterministic: true }, (text) => String(text).toLowerCase());
  const statements = new Statements(connection);
  let writes: Write[] = [];
  let version: unknown;
  let reading = false;
  let ending = false;
  /** When the lock was first found taken; null when it was not. */
  let lockedAt: number | null = null;
  let retry: NodeJS.Timeout | null = null;

  // SQLite would wait for a lock without giving the event loop a turn.
  const waitForLocks = (ms: number) => connection.exec(`pragma busy_timeout=${ms}`);
  waitForLocks(0);
  const snapshot = connection.prepare("begin");
  // Changes when another connection, so another process, has written.
  const dataVersion = connection.prepare("pragma data_version");
  const begin = connection.prepare("begin immediate");
  const commit = connection.prepare("commit");
  const rollback = connection.prepare("rollback");
  const savepoint = connection.prepare("savepoint batch");
  const undo = connection.prepare("rollback to batch");
  const release = connection.prepare("release batch");

  /** Has the turn ended when every socket that is ready has been read. */
  function endLater(): void {
    if (ending) return;
    ending = true;
    setImmediate(endTurn);
  }

  function endTurn(): void {
    ending = false;
    if (reading && connection.isTransaction) commit.run();
    reading = false;
    if (writes.length > 0 && retry === null) flush();
  }

  /** Changes with every write of another process. Only the opening and closing of the file by another process locks out this read. */
  function versionNow(): unknown {
    try {
      return dataVersion.get()?.data_version;
    } catch (error) {
      throw isBusy(error) ? new Unavailable(LOCKED) : error;
    }
  }

  /** Before a read: the first of a turn opens the snapshot, so that the others need no locks of their own. */
  function read(text: TemplateStringsArray): Prepared {
    if (!reading) {
      snapshot.run();
      reading = true;
      endLater();
      const now = versionNow();
      if (now !== version) statements.forget();
      version = now;
    }
    return statements.prepare(text);
  }

  function write<Result>(work: () => Result): Promise<Result> {
    if (!connection.isOpen) return Promise.reject(new Unavailable("the database is closed"));
    return new Promise((resolve, reject) => {
      writes.push({ work, resolve, reject });
      endLater();
    });
  }

  function flush(): void {
    const group = writes;
    writes = [];
    const answers: (() => void)[] = [];
    try {
      begin.run();
      lockedAt = null;
      for (const { work, resolve, reject } of group) {
        try {
          const result = work();
          answers.push(() => resolve(result as never));
        } catch (error) {
          // A full disk and its like end the whole transaction: then nothing of the group was kept.
          if (!connection.isTransaction) throw error;
          answers.push(() => reject(error));
        }
      }
      commit.run();
    } catch (error) {
      if (connection.isTransaction) rollback.run();
      if (isBusy(error) && waits(group)) return;
      for (const { reject } of group) reject(isBusy(error) ? new Unavailable(LOCKED) : error);
      if (codeOf(error) === IO_ERROR) broken(error);
      return;
    }
    for (const answer of answers) answer();
  }

  /** Keeps writes for another attempt; false when the lock has been taken for too long. Nothing of them has been done. */
  function waits(group: Write[]): boolean {
    lockedAt ??= performance.now();
    if (performance.now() - lockedAt >= lockMs) {
      lockedAt = null;
      return false;
    }
    writes = group;
    retry = setTimeout(() => {
      retry = null;
      endTurn();
    }, RETRY_MS);
    return true;
  }

  function one({ statement, toRow }: Prepared, values: Value[]): unknown {
    const found = statement.get(...values) as unknown[] | undefined;
    return found === undefined ? undefined : toRow(found);
  }

  function rows<Row>({ statement, toRow, voids }: Prepared, values: Value[]): Row[] {
    voidAll(voids);
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
    const { statement, voids } = statements.prepare(text);
    voidAll(voids);
    return Number(statement.run(...values).changes);
  }

  function batch(steps: Step[]): number[] {
    const changed: number[] = [];
    savepoint.run();
    try {
      for (const step of steps) {
        const rows = run("maybe" in step ? step.maybe : step);
        if (rows === 0 && !("maybe" in step)) throw new Undo();
        changed.push(rows);
      }
    } catch (error) {
      if (connection.isTransaction) undo.run();
      if (!(error instanceof Undo)) throw error;
    } finally {
      if (connection.isTransaction) release.run();
    }
    return changed;
  }

  return {
    async get<Row>(text: TemplateStringsArray, ...values: Value[]) {
      return one(read(text), values) as Row | undefined;
    },
    async recall<Row>(text: TemplateStringsArray, ...values: (Value | Derived)[]) {
      const known = read(text);
      return known.memo.recall(values, () => one(known, values.map(valueFor))) as Row | undefined;
    },
    async all<Row>(text: TemplateStringsArray, ...values: Value[]) {
      return rows<Row>(read(text), values);
    },
    async head<Row>(size: number, text: TemplateStringsArray, ...values: Value[]) {
      return head<Row>(read(text), size, values);
    },
    run: (...each) => write(() => run(each)),
    returning: <Row>(text: TemplateStringsArray, ...values: Value[]) =>
      write(() => rows<Row>(statements.prepare(text), values)),
    batch: (steps) => write(() => batch(steps)),

    async exclusively(work) {
      endTurn();
      waitForLocks(LOCK_MS);
      named(file, () => connection.exec("begin exclusive"));
      try {
        await work({
          async exec(text) {
            connection.exec(text);
          },
          async run(...each) {
            run(each);
          },
          async all<Row>(text: TemplateStringsArray, ...values: Value[]) {
            return rows<Row>(statements.prepare(text), values);
          },
        });
        connection.exec("commit");
      } catch (error) {
        if (connection.isTransaction) connection.exec("rollback");
        throw sqliteFault(error, file);
      } finally {
        waitForLocks(0);
      }
    },

    async close() {
      endTurn();
      while (writes.length > 0) await sleep(RETRY_MS);
      connection.close();
    },
  };
}

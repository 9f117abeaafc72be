import { closeSync, openSync } from "node:fs";
import os from "node:os";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { SetupError } from "../../config/setting-types.ts";
import { isBusy, withFileName } from "./sqlite-connection.ts";

/** The time between two attempts to take a lock that another process holds, in milliseconds. */
const RETRY_MS = 100;

/** The time for which the holder waits for readers of its row, which blocks the event loop, in milliseconds. */
const READERS_MS = 500;

/** What a lock is held for: a service, or a command beside which nothing else may write. */
export type LockUse = "service" | "command";

/** A process that holds a lock. `since` is in epoch milliseconds. */
interface Holder {
  pid: number;
  host: string;
  since: number;
  use: LockUse;
}

/** A held lock. */
export interface Lock {
  /** Lets the next process take it. */
  release(): void;
}

export interface LockOptions {
  /** By default that of a command. */
  use?: LockUse;
  /** Whether nothing is to be locked while a service holds the lock, because it may run beside what comes. */
  besideService?: boolean;
  /** For how long to wait while another process holds the lock, in milliseconds. */
  waitMs: number;
  /** Called once when the wait begins, with the holder in words. */
  onWait?: (holder: string) => void;
}

/** The lock of another process was not released in time. `holder` is that process in words. */
export class LockHeld extends SetupError {
  readonly holder: string;

  constructor(file: string, holder: string) {
    super(`The lock ${file} is held by ${holder}.`);
    this.holder = holder;
  }
}

/**
 * Takes the lock of an SQLite database: a transaction on a small database beside it, which the system ends with the process, however that ends.
 * The file stays when the lock is released. @throws LockHeld if another process holds it for longer than the wait.
 */
export async function lockSqlite(
  database: string,
  { use = "command", besideService = false, waitMs, onWait }: LockOptions,
): Promise<Lock> {
  const file = `${database}.lock`;
  const connection = open(file);
  try {
    const until = performance.now() + waitMs;
    for (let waited = false; !withFileName(file, () => take(connection, use)); waited = true) {
      const holder = holderOf(connection);
      if (besideService && holder?.use === "service") break;
      const words = wordsFor(holder);
      if (performance.now() >= until) throw new LockHeld(file, words);
      if (!waited) onWait?.(words);
      await sleep(RETRY_MS);
    }
    return { release: () => connection.close() };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Opens the database of the lock. Its mode is set when it is created: closing a second descriptor of the file would end locks of this process. */
function open(file: string): DatabaseSync {
  return withFileName(file, () => {
    try {
      closeSync(openSync(file, "wx", 0o600));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    return new DatabaseSync(file);
  });
}

/** Takes the lock and writes who holds it. Returns false if another process holds it. */
function take(connection: DatabaseSync, use: LockUse): boolean {
  if (!begin(connection)) return false;
  const self: Holder = { pid: process.pid, host: os.hostname(), since: Date.now(), use };
  try {
    write(connection, self);
  } catch (error) {
    // On a full disk it is not written who holds the lock, but a transaction that writes nothing needs no space.
    if (connection.isTransaction) connection.exec("rollback");
    return isBusy(error) ? false : begin(connection);
  }
  // Another process may have come between the two transactions. Then that one has written its own row.
  if (!begin(connection)) return false;
  if (read(connection)?.since === self.since) return true;
  connection.exec("rollback");
  return false;
}

/** Begins the transaction that is the lock. Others can read the row meanwhile. Returns false if another process holds it. */
function begin(connection: DatabaseSync): boolean {
  try {
    connection.exec("pragma busy_timeout=0; begin immediate");
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

function write(connection: DatabaseSync, { pid, host, since, use }: Holder): void {
  // The table is made anew, because that of an older release has fewer columns.
  connection.exec(
    `pragma busy_timeout=${READERS_MS}; drop table if exists holder; create table holder (pid integer, host text, since integer, use text)`,
  );
  connection
    .prepare("insert into holder (pid, host, since, use) values (?, ?, ?, ?)")
    .run(pid, host, since, use);
  connection.exec("commit");
}

function read(connection: DatabaseSync): Holder | undefined {
  return connection.prepare("select * from holder").get() as Holder | undefined;
}

/** Returns the process that holds the lock. Undefined if it has begun just now, or has had no space to write who it is. */
function holderOf(connection: DatabaseSync): Holder | undefined {
  try {
    return read(connection);
  } catch {
    return undefined;
  }
}

const wordsFor = (holder: Holder | undefined): string =>
  holder === undefined
    ? "another process"
    : `process ${holder.pid} on ${holder.host}, since ${new Date(holder.since).toISOString()}`;

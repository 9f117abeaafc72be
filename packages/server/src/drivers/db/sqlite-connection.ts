import { DatabaseSync } from "node:sqlite";
import { sqliteError } from "./sqlite-error.ts";

/** The size in bytes to which the write-ahead log is cut after it has been copied into the database file. */
const LOG_BYTES = 16 * 1024 * 1024;

const BUSY = 5;
const IO_ERROR = 10;

/** Returns SQLite's primary error code of an error, or 0 if the error is not from SQLite. */
const codeOf = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) % 256;

/** Whether an error means that another process holds the lock of the database. */
export const isBusy = (error: unknown): boolean => codeOf(error) === BUSY;

/** Whether an error means that the disk could not be read or written. */
export const isIoError = (error: unknown): boolean => codeOf(error) === IO_ERROR;

/** Runs `work`. Errors of SQLite are rethrown with the name of the database file. */
export function withFileName<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw sqliteError(error, file);
  }
}

/**
 * Opens a database file, and creates it if it is missing. Retries for `lockMs` milliseconds while another process creates the same file,
 * because SQLite itself does not wait for the lock that it needs to switch a new file to WAL mode.
 */
export function openConnection(file: string, lockMs: number): DatabaseSync {
  const until = Date.now() + lockMs;
  for (;;) {
    const connection = withFileName(file, () => new DatabaseSync(file, { timeout: lockMs }));
    try {
      connection.exec(
        "pragma journal_mode=wal; pragma synchronous=full; pragma foreign_keys=on; pragma cache_size=-65536",
      );
      // Turns off checkpoints in commits, because a commit that also copies the log into the database file takes three times as long.
      // `Checkpoints` copies the log in a thread.
      connection.exec("pragma wal_autocheckpoint=0");
      // Cuts the log to this size when it begins anew, so that a burst of writes does not occupy the disk for good.
      connection.exec(`pragma journal_size_limit=${LOG_BYTES}`);
      // Keeps temporary data in memory. A savepoint copies each page before it is changed, and a copy in a temporary file would cost more
      // than the change.
      connection.exec("pragma temp_store=memory");
      return connection;
    } catch (error) {
      connection.close();
      if (!isBusy(error) || Date.now() > until) throw sqliteError(error, file);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

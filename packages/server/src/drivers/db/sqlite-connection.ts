import { statfsSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SetupError } from "../../config/setting-types.ts";
import { ReserveReached, reserveOf } from "../../disk/disk-space.ts";

const DAMAGED =
  "It is damaged or no SQLite database. Restore it from a backup; to begin anew, move it away, and the blobs with it.";

/** Maps error codes of SQLite to advice for operators about the database file. */
const ADVICE: Record<number, string> = {
  5: "Another process has locked it.",
  8: "The service may not write it.",
  10: "The disk cannot be read or written.",
  11: DAMAGED,
  13: "The disk is full.",
  14: "The service may not open it, or it is a directory.",
  26: DAMAGED,
};

/** Converts an error of SQLite to a `SetupError` with the name of the database file and advice. Returns any other error as it is. */
export function sqliteError(error: unknown, file: string): unknown {
  const { errcode = 0, message } = error as { errcode?: number; message: string };
  const advice = ADVICE[errcode % 256];
  return advice === undefined
    ? error
    : new SetupError(`The database ${file} cannot be used: ${message}. ${advice}`);
}

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

/**
 * The rate at which a disk can fill up at most, in bytes per millisecond. The free space is measured again before it can have reached the
 * reserve at this rate.
 */
const FILL_RATE = 1024 * 1024;

/** The longest time between two measurements. Another program may fill the disk in the meantime. */
const MAX_INTERVAL_MS = 1_000;

/**
 * Tells whether an SQLite database may grow on its disk. The checkpoint of the write-ahead log must still fit, so pages that are only in the
 * log count as occupied twice. Free pages inside of the database file count as free space, because writes use them again before the file
 * grows. They count for at most half of the reserve: writes to them need space for the log, and the other half remains for sign-in and
 * deletion (decision 050).
 */
export class SqliteSpace {
  readonly #file: string;
  readonly #reserve: number | null;
  readonly #pages;
  readonly #freePages;
  readonly #pageSize: number;
  /** The time of the next measurement, from `performance.now()`. */
  #nextAt = 0;
  #isShort = false;

  /** `reserve` is the number of bytes to keep free, or null for the default. With 0, nothing is checked. */
  constructor(connection: DatabaseSync, file: string, reserve: number | null) {
    this.#file = file;
    this.#reserve = reserve;
    this.#pages = connection.prepare("pragma page_count");
    this.#freePages = connection.prepare("pragma freelist_count");
    this.#pageSize = Number(connection.prepare("pragma page_size").get()?.page_size);
  }

  /** Whether the free space was not larger than the reserve when it was last measured. */
  get isShort(): boolean {
    return this.#isShort;
  }

  /** Throws an error with the code `ENOSPC` if the free space is not larger than the reserve. Measures it only as often as needed. */
  require(): void {
    if (this.#reserve === 0 || performance.now() < this.#nextAt) return;
    const above = this.#aboveReserve();
    this.#isShort = above <= 0;
    if (this.#isShort) throw new ReserveReached(path.dirname(this.#file));
    this.#nextAt = performance.now() + Math.min(above / FILL_RATE, MAX_INTERVAL_MS);
  }

  /** Measures by how many bytes the free space exceeds the reserve. */
  #aboveReserve(): number {
    const { bavail, blocks, bsize } = statfsSync(path.dirname(this.#file));
    // Some network file systems report a size of 0; the check is skipped there.
    if (blocks === 0) return Number.POSITIVE_INFINITY;
    const reserve = reserveOf(this.#reserve, blocks * bsize);
    const pages = Number(this.#pages.get()?.page_count) * this.#pageSize;
    const onlyInLog = Math.max(0, pages - statSync(this.#file).size);
    const freePages = Number(this.#freePages.get()?.freelist_count) * this.#pageSize;
    return bavail * bsize - onlyInLog + Math.min(freePages, reserve / 2) - reserve;
  }
}

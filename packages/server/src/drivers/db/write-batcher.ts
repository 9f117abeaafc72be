import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Unavailable } from "./db.ts";
import { isBusy, isIoError } from "./sqlite-connection.ts";

/**
 * Runs the statements of a write. If `undoable` is true, undoes all of them when one fails. If `undoable` is false, may throw `Repeat`
 * instead of undoing them.
 */
type Work<Result = unknown> = (undoable: boolean) => Result;

interface Write {
  work: Work;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

interface Options {
  /**
   * How long writes wait while another process holds the write lock, in milliseconds. If the lock is not free by then, the waiting writes
   * are rejected.
   */
  lockMs: number;
  /** Called some time after another process was found to hold the write lock. Must call `flush`. */
  retry(): void;
  /** Called when the disk fails during a commit. */
  onIoError(error: unknown): void;
  /** Called after each transaction, with its duration in seconds. */
  onCommit?: ((seconds: number) => void) | undefined;
}

/** Interval between attempts to get the write lock while another process holds it. */
const RETRY_MS = 10;

/** Thrown by a write that failed and cannot undo its statements. The transaction is then repeated with `undoable` set to true. */
export class Repeat extends Error {}

export const LOCKED = "another process has locked the database";

/** Commits the writes of one turn of the event loop in one transaction, and resolves the promise of each write after the commit. */
export class WriteBatcher {
  readonly #connection;
  readonly #options;
  readonly #begin;
  readonly #commit;
  readonly #rollback;
  #writes: Write[] = [];
  /** The time at which another process was first found to hold the lock, from `performance.now()`. Null while the lock is free. */
  #lockedAt: number | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(connection: DatabaseSync, options: Options) {
    this.#connection = connection;
    this.#options = options;
    this.#begin = connection.prepare("begin immediate");
    this.#commit = connection.prepare("commit");
    this.#rollback = connection.prepare("rollback");
  }

  /** Adds a write to the next transaction. Rejects with the error that `work` throws; the other writes are committed nevertheless. */
  add<Result>(work: Work<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#writes.push({ work, resolve, reject });
    });
  }

  /**
   * Commits the writes that were added. Returns true if a transaction was committed. Returns false if there were no writes, if the
   * transaction failed, or if the writes wait because another process holds the write lock.
   */
  flush(): boolean {
    if (this.#writes.length === 0 || this.#timer !== null) return false;
    const group = this.#writes;
    this.#writes = [];
    let settle: (() => void)[];
    try {
      settle = this.#writeGroup(group);
    } catch (error) {
      if (this.#connection.isTransaction) this.#rollback.run();
      if (isBusy(error) && this.#retryLater(group)) return false;
      for (const { reject } of group) reject(isBusy(error) ? new Unavailable(LOCKED) : error);
      if (isIoError(error)) this.#options.onIoError(error);
      return false;
    }
    for (const each of settle) each();
    return true;
  }

  /**
   * Writes a group in a transaction. If a write throws `Repeat`, writes the group again with `undoable` set. Returns functions that settle
   * the promises of the writes.
   */
  #writeGroup(group: Write[]): (() => void)[] {
    try {
      return this.#commitGroup(group, false);
    } catch (error) {
      if (!(error instanceof Repeat)) throw error;
      this.#rollback.run();
      return this.#commitGroup(group, true);
    }
  }

  /** Runs the writes of a group and commits them. Returns functions that settle the promises of the writes. */
  #commitGroup(group: Write[], undoable: boolean): (() => void)[] {
    const settle: (() => void)[] = [];
    const start = performance.now();
    this.#begin.run();
    this.#lockedAt = null;
    for (const { work, resolve, reject } of group) {
      try {
        const result = work(undoable);
        settle.push(() => resolve(result as never));
      } catch (error) {
        // Some errors, such as a full disk, make SQLite roll back the whole transaction. Then nothing of the group has been written.
        if (!this.#connection.isTransaction || error instanceof Repeat) throw error;
        settle.push(() => reject(error));
      }
    }
    this.#commit.run();
    this.#options.onCommit?.((performance.now() - start) / 1000);
    return settle;
  }

  /** Resolves when no write waits for the write lock of the database any more. */
  async settled(): Promise<void> {
    while (this.#writes.length > 0) await sleep(RETRY_MS);
  }

  /** Keeps a group of writes for another attempt. Returns false if another process has held the lock for `lockMs` or longer. */
  #retryLater(group: Write[]): boolean {
    this.#lockedAt ??= performance.now();
    if (performance.now() - this.#lockedAt >= this.#options.lockMs) {
      this.#lockedAt = null;
      return false;
    }
    this.#writes = group;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#options.retry();
    }, RETRY_MS);
    return true;
  }
}

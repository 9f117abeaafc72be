import { statfsSync, statSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { ReserveReached, reserveOf } from "../../disk/disk-space.ts";

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

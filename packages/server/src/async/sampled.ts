const MINUTE_MS = 60_000;
/** How many events of one key are kept in a minute. */
const PER_KEY = 5;
/** The number of keys of a minute of which events are kept. */
const MAX_KEYS = 500;

/** The part of the context that belongs to the security log. */
export interface RefusalSampling {
  /** Decides which refusals are logged. */
  refusalSample: Sample;
}

/**
 * Keeps the first events of each key in a minute, of a limited number of keys, and counts the others. So no caller fills the log, and none
 * keeps others out of it.
 */
export class Sample {
  #minute = 0;
  readonly #seen = new Map<string, number>();
  #left = 0;

  /**
   * Returns whether an event is kept, and how many were left out before: in the first event of a minute those of the last one, otherwise 0.
   * `now` is the time in epoch milliseconds.
   */
  take(key: string, now: number): { kept: boolean; leftOut: number } {
    const minute = Math.floor(now / MINUTE_MS);
    let leftOut = 0;
    if (minute !== this.#minute) {
      leftOut = this.#left;
      this.#minute = minute;
      this.#left = 0;
      this.#seen.clear();
    }
    const seen = this.#seen.get(key) ?? 0;
    const kept = seen < PER_KEY && (seen > 0 || this.#seen.size < MAX_KEYS);
    if (kept) this.#seen.set(key, seen + 1);
    else this.#left++;
    return { kept, leftOut };
  }
}

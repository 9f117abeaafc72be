/** The time from a change to the read. All changes within this time cause one read. */
const GATHER_MS = 10;
/** The number of reads that may follow each other at once. */
const BURST = 5;
/** The time between two reads while changes go on. At this pace, reads take a tenth of the 120 requests a minute. */
const PACE_MS = 5_000;

/** Spaces the reads of a list, so that a page stays inside its rate limit, however often the data changes. */
export interface Pace {
  /** Returns the time to wait before the next read, in milliseconds. */
  delay(): number;
  /** Counts a read. */
  count(): void;
}

export function createPace(): Pace {
  /** The time until which the reads so far would last if each took `PACE_MS`. */
  let spent = 0;

  return {
    // The maximum is for clocks that are set back.
    delay: () => Math.min(Math.max(spent - (BURST - 1) * PACE_MS - Date.now(), GATHER_MS), PACE_MS),
    count() {
      const now = Date.now();
      spent = Math.min(Math.max(spent, now), now + BURST * PACE_MS) + PACE_MS;
    },
  };
}

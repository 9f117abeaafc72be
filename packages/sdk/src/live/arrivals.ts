import type { Change } from "./live-data.ts";

/**
 * Changes of one item that arrive within this time may have overtaken each other: the service sends them in the order in which the writes
 * were answered, which need not be the order in which the database has made them (decision 060).
 */
const CONCURRENT_MS = 10_000;

/** Remembers when items have changed, to tell changes whose order is certain from those that must be read once more. */
export interface Arrivals {
  /** Records the arrival of a change. `isReading` is true if a read is under way, whose result may be newer than the change. */
  add(change: Change, isReading: boolean): void;
  isUncertain(change: Change): boolean;
}

export function createArrivals(): Arrivals {
  /** The time of the last change of each item, in the order of these times. */
  const times = new Map<string, number>();
  const uncertain = new WeakSet<Change>();

  return {
    add(change, isReading) {
      const item = change.id ?? change.key;
      if (item === undefined) return;
      const now = Date.now();
      const last = times.get(item);
      if (isReading || (last !== undefined && now - last < CONCURRENT_MS)) uncertain.add(change);
      times.delete(item);
      times.set(item, now);
      for (const [old, at] of times) {
        if (now - at < CONCURRENT_MS) break;
        times.delete(old);
      }
    },
    isUncertain: (change) => uncertain.has(change),
  };
}

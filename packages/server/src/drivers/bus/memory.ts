import type { Bus } from "./bus.ts";

interface Bucket {
  taken: number;
  resetAt: number;
}

/**
 * The bus of a single node. At most `maxBuckets` buckets are kept: past that the oldest one goes, so that a flood of new
 * keys costs bounded memory and never locks anyone out.
 */
export function memory(clock: () => number = Date.now, maxBuckets = 100_000): Bus {
  const buckets = new Map<string, Bucket>();
  const topics = new Map<string, Set<(message: string) => void>>();

  function bucket(key: string, now: number, windowMs: number): Bucket {
    const known = buckets.get(key);
    if (known !== undefined && known.resetAt > now) return known;
    // Put back at the end, so that the map stays in the order of age.
    buckets.delete(key);
    if (buckets.size >= maxBuckets) buckets.delete(buckets.keys().next().value as string);
    const fresh = { taken: 0, resetAt: now + windowMs };
    buckets.set(key, fresh);
    return fresh;
  }

  return {
    async take(key, limit, windowMs) {
      const now = clock();
      const from = bucket(key, now, windowMs);
      const allowed = from.taken < limit;
      if (allowed) from.taken++;
      return { allowed, limit, remaining: limit - from.taken, resetMs: from.resetAt - now };
    },

    async publish(topic, message) {
      const faults: unknown[] = [];
      for (const listener of topics.get(topic) ?? []) {
        try {
          listener(message);
        } catch (fault) {
          faults.push(fault);
        }
      }
      if (faults.length > 0) throw new AggregateError(faults, `listeners of ${topic} failed`);
    },

    async subscribe(topic, listener) {
      const listeners = topics.get(topic) ?? new Set();
      topics.set(topic, listeners.add(listener));
      return async () => {
        listeners.delete(listener);
        if (listeners.size === 0 && topics.get(topic) === listeners) topics.delete(topic);
      };
    },

    async close() {
      buckets.clear();
      topics.clear();
    },
  };
}

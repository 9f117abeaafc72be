import { Buckets } from "./buckets.ts";
import type { Bus, RateClass } from "./bus.ts";
import { Leases } from "./leases.ts";
import { Places } from "./places.ts";
import { Presence } from "./presence.ts";

/** Creates a bus for a single process, in memory. Keeps at most `maxBuckets` rate-limit buckets for each rate class. */
export function memory(clock: () => number = () => performance.now(), maxBuckets = 100_000): Bus {
  const classes = new Map<RateClass, Buckets>();
  const topics = new Map<string, Set<(message: string) => void>>();
  const leases = new Leases();
  const isLive = (lease: string) => leases.isLive(lease, clock());
  const places = new Places(isLive);
  const presence = new Presence(isLive);

  function bucketsOf(rateClass: RateClass): Buckets {
    const known = classes.get(rateClass);
    if (known !== undefined) return known;
    const buckets = new Buckets(maxBuckets);
    classes.set(rateClass, buckets);
    return buckets;
  }

  return {
    async take(bucket, limit, windowMs) {
      return bucketsOf(bucket.rateClass).take(bucket, limit, windowMs, clock());
    },

    async giveBack(bucket) {
      bucketsOf(bucket.rateClass).giveBack(bucket, clock());
    },

    async publish(topic, message) {
      const errors: unknown[] = [];
      for (const listener of topics.get(topic) ?? []) {
        try {
          listener(message);
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw new AggregateError(errors, `listeners of ${topic} failed`);
    },

    async subscribe(topic, listener) {
      const listeners = topics.get(topic) ?? new Set();
      topics.set(topic, listeners.add(listener));
      return async () => {
        listeners.delete(listener);
        if (listeners.size === 0 && topics.get(topic) === listeners) topics.delete(topic);
      };
    },

    hasListeners: (topic) => topics.has(topic),

    async renewLease(lease) {
      const now = clock();
      const kept = leases.isLive(lease, now);
      // Also removes holders and members if this lease is new, because some may have been added under it before its first renewal.
      const isStale = leases.removeExpired(now) || !kept;
      const departed = isStale ? presence.removeExpired() : [];
      if (isStale) places.removeExpired();
      leases.renew(lease, now);
      return { kept, departed };
    },

    async hold(place, holder, limits) {
      return places.hold(place, holder, limits);
    },

    async release(place, holder) {
      places.release(place, holder);
    },

    async holders(place) {
      return places.holders(place);
    },

    async join(topic, member, connection, lease) {
      return presence.join(topic, member, connection, lease);
    },

    async leave(topic, member, connection) {
      return presence.leave(topic, member, connection);
    },

    async members(topic) {
      return presence.members(topic);
    },

    async close() {
      classes.clear();
      topics.clear();
    },
  };
}
